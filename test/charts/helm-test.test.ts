// The script of the `helm test` pod, against a real snowgauge and against other servers.

import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import type { CommandContext } from '../../src/commands/context.ts';
import { silentLog } from '../../src/log.ts';
import { at, objectsOf } from '../support/chart.ts';
import { type Running, startCommand } from '../support/running-command.ts';
import { closedPort, serveAnswer } from '../support/serve.ts';
import { describeWith } from '../support/tools.ts';

const service = 'http://test-snowgauge.watch.svc:9652';

/** The script of the pod, with the URL of the Service, which only resolves in a cluster, replaced. */
const scriptFor = async (helm: string, url: string, values: object = { mode: 'demo' }): Promise<string> => {
  const pod = (await objectsOf(helm, { values })).find(({ kind }) => kind === 'Pod');
  expect(at(pod, 'spec.containers.0.command')).toEqual(['/nodejs/bin/node', '-e']);
  const script = String(at(pod, 'spec.containers.0.args.0'));
  expect(script.split(service)).toHaveLength(2);
  return script.replace(service, url);
};

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Runs the script until it exits or prints these words. */
const ran = (script: string, words: string): Promise<{ readonly code: number | null; readonly stdout: string }> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (stdout.includes(words)) resolve({ code: null, stdout });
    });
    child.on('close', (code) => resolve({ code, stdout }));
  });

/** Starts a snowgauge on a free port. */
const serving = (env: CommandContext['env']): Promise<{ readonly running: Running; readonly url: string }> =>
  new Promise((resolve) => {
    const info = (fields: object): void => {
      if ('url' in fields) resolve({ running, url: String(fields.url) });
    };
    const running = startCommand(['run', '--listen', '127.0.0.1:0'], { env, log: { ...silentLog, info } });
  });

describeWith(['helm'], 'the helm test', (helm = '') => {
  test('passes for a snowgauge with a node that is down', async () => {
    const { running, url } = await serving({ SNOWGAUGE_URL: `http://127.0.0.1:${await closedPort()}` });
    const { code, stdout } = await ran(await scriptFor(helm, url), 'never written');
    running.stop();
    await running.finished;
    expect(stdout).toContain('/metrics: ok\n');
    expect(stdout).toContain('snowgauge_up{target="node"} 0');
    expect(code).toBe(0);
  });

  test.each([
    { what: 'a fleet that has discovered nothing yet', values: {}, words: ': ok' },
    {
      what: 'a shard without targets',
      values: { shards: 2, config: { targets: [{ name: 'a', url: 'http://a' }] } },
      words: ': ok',
    },
    {
      what: 'a fleet whose number of shards the chart does not set',
      values: { shards: null, config: { targets: [{ name: 'a', url: 'http://a' }] } },
      words: ': ok',
    },
    {
      what: 'a single shard without targets',
      values: { config: { targets: [{ name: 'a', url: 'http://a' }] } },
      words: 'no target has been asked yet',
    },
  ])('prints "$words" for $what', async ({ values, words }) => {
    const page = [
      'snowgauge_build_info{version="1"} 1',
      'snowgauge_discovery_last_refresh_successful{source="kubernetes/0"} 1',
      '',
    ];
    const server = await serveAnswer(200, page.join('\n'));
    const { stdout } = await ran(await scriptFor(helm, server.url, values), words);
    await server.close();
    expect(stdout).toContain(words);
  });

  test('keeps waiting while a fleet may not list pods', async () => {
    const page = 'snowgauge_build_info{version="1"} 1\nsnowgauge_discovery_last_refresh_successful{source="kubernetes/0"} 0\n';
    const server = await serveAnswer(200, page);
    const { stdout } = await ran(await scriptFor(helm, server.url, {}), 'fails');
    await server.close();
    expect(stdout).toContain('discovery by kubernetes/0 fails: its log says why');
  });

  test.each([
    { where: 'another page is served', status: 200, body: 'up 1\n', words: 'the page is not that of a snowgauge' },
    { where: 'the page is an error', status: 500, body: 'sorry', words: 'status 500: sorry' },
  ])('keeps waiting and prints why if $where', async ({ status, body, words }) => {
    const server = await serveAnswer(status, body);
    const { stdout } = await ran(await scriptFor(helm, server.url), words);
    await server.close();
    expect(stdout).toContain(words);
    expect(stdout).not.toContain(': ok');
  });
});
