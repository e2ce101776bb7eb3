// A child process that runs during a drill and is stopped at its end.

import { spawn } from 'node:child_process';

export type Child = ReturnType<typeof startChild>;

const keptCharacters = 8192;
const graceMs = 5000;
const startMs = 60_000;

/** Prometheus and Alertmanager log the same text. */
const listens = /msg="?Listening on"?.* address=\S*:(\d+)/;

/** Starts a program of the Prometheus project that was told to listen on port 0. */
export const startChild = (name: string, program: string, args: readonly string[]) => {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  let port = 0;
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(`ended with ${signal ?? `exit code ${code}`}`));
  });
  const opened = new Promise<number>((resolve, reject) => {
    const fail = (why: string): void => reject(new ChildFault(`${name} ${why}: ${lastWords(said)}`));
    const timer = setTimeout(() => fail(`did not listen within ${startMs / 1000} s`), startMs);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-keptCharacters);
      const [, digits] = port === 0 ? (listens.exec(said) ?? []) : [];
      if (digits === undefined) return;
      port = Number(digits);
      clearTimeout(timer);
      resolve(port);
    });
    void ended.then((why) => {
      clearTimeout(timer);
      fail(why);
    });
  });
  // If it is stopped before it listens, nobody awaits the port.
  opened.catch(() => undefined);
  return {
    /** Resolves with its port once it logs it. Rejects with its last log lines if it exits before that. */
    port: opened,
    /** Sends SIGTERM, and SIGKILL if it has not exited after a while. */
    stop: async (): Promise<void> => {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await ended;
      clearTimeout(timer);
    },
  };
};

/** Prometheus or Alertmanager could not be started. This is not a failure of the drill. */
export class ChildFault extends Error {}

const lastWords = (said: string): string => said.trim().split('\n').slice(-3).join(' | ') || 'it said nothing';
