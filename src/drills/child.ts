// A program that runs beside a drill, and ends with it.

import { spawn } from 'node:child_process';

export type Child = ReturnType<typeof startChild>;

const keptCharacters = 8192;
const graceMs = 5000;
const startMs = 60_000;

/** Prometheus and Alertmanager say it in the same words. */
const listens = /msg="?Listening on"?.* address=\S*:(\d+)/;

/** A program of the Prometheus project that was told to listen on port 0. */
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
  // Whoever is stopped first asks for no port.
  opened.catch(() => undefined);
  return {
    /** Where it listens, once it says so; rejects where it ends before, with its last words. */
    port: opened,
    /** Asks it to end, and after a while makes it. */
    stop: async (): Promise<void> => {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await ended;
      clearTimeout(timer);
    },
  };
};

/** One of the two could not be started: no fault of the drill's. */
export class ChildFault extends Error {}

const lastWords = (said: string): string => said.trim().split('\n').slice(-3).join(' | ') || 'it said nothing';
