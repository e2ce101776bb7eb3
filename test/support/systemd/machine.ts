// A machine with systemd as its first process (machine.sh).

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTool } from '../run-tool.ts';
import { forced, toolPath } from '../tools.ts';
import { until } from '../until.ts';

const script = fileURLToPath(new URL('machine.sh', import.meta.url));
const init = '/lib/systemd/systemd';
/** Where units find Node.js. */
const node = ['/usr/local/bin/node', '/usr/bin/node'];

/** Why no such machine can run here, if so. */
export const machineObstacle = (): string | undefined => {
  const missing = ['systemctl', 'unshare', 'nsenter', 'ip', 'curl', 'npm'].filter((tool) => toolPath(tool) === undefined);
  if (!existsSync(init)) missing.push('systemd');
  if (!node.some((path) => existsSync(path))) missing.push(node.join(' or '));
  if (missing.length > 0) return `not installed: ${missing.join(', ')}`;
  const { status, stderr } = spawnSync('bash', [script, 'try', mkdtempSync(join(tmpdir(), 'snowgauge-try-'))], {
    encoding: 'utf8',
  });
  return status === 0 ? undefined : `the ${forced} what a machine of its own needs: ${stderr.trim()}`;
};

export interface Machine {
  /** Shared with the machine, at /tmp/given. */
  readonly given: string;
  /** Runs a bash script in it as root and returns stdout; rejects if a command fails. */
  readonly run: (commands: string) => Promise<string>;
  readonly stop: () => Promise<void>;
}

export const startMachine = async (): Promise<Machine> => {
  const state = mkdtempSync(join(tmpdir(), 'snowgauge-systemd-'));
  const given = join(state, 'given');
  mkdirSync(given);
  const child = spawn('bash', [script, 'up', state], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = once(child, 'close');
  const run = (commands: string): Promise<string> =>
    runTool('bash', [script, 'exec', state, 'bash', '--norc', '-euo', 'pipefail', '-c', commands], { timeoutMs: 280_000 });
  const stop = async (): Promise<void> => {
    // The first process ends all others. A machine that failed early has none.
    if (existsSync(join(state, 'pid')) && child.exitCode === null)
      process.kill(Number(readFileSync(join(state, 'pid'), 'utf8')), 'SIGKILL');
    else child.kill('SIGKILL');
    await ended;
    await runTool('bash', [script, 'down', state]);
    rmSync(state, { recursive: true });
  };
  try {
    await until(`systemd is up: ${said}`, async () => {
      if (child.exitCode !== null) throw new Error(said);
      return (
        existsSync(join(state, 'pid')) &&
        (await run('systemctl is-system-running --wait || systemctl --failed')).trim() === 'running'
      );
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { given, run, stop };
};
