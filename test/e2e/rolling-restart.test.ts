// The examples of docs/safe-to-restart.md: the loop over machines, and the arguments of the Job.

import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readNames } from '../../scripts/names.mjs';
import { bundle } from '../support/bundle.ts';
import { typed } from '../support/command.ts';
import { temporaryFolder } from '../support/events.ts';
import { keepRunning, startValidator } from '../support/validator-nodes.ts';

const root = new URL('../../', import.meta.url).pathname;

test('every variable of the loop is in docs/safe-to-restart.md', async () => {
  const [script, text] = await Promise.all(
    ['deploy/rolling-restart.sh', 'docs/safe-to-restart.md'].map((file) => readFile(join(root, file), 'utf8')),
  );
  const variables = Array.from(script?.matchAll(/\$\{([A-Z_]+):/g) ?? [], ([, name]) => `\`${name}\``);
  expect(variables).toHaveLength(6);
  expect(variables.filter((name) => text?.includes(name) !== true)).toEqual([]);
});

/**
 * Two validators whose checks run each second, and the loop over them. `restarted`: indices of the restarted ones in order. A restart
 * lasts until `go` is called.
 */
const rolling = async (variables: Readonly<Record<string, string>> = {}) => {
  const nodes = [await startValidator(1), await startValidator(2)];
  keepRunning(nodes);
  const folder = await temporaryFolder();
  const [log, restart, gone] = ['log', 'restart', 'go'].map((name) => join(folder, name));
  await writeFile(log ?? '', '');
  const script = `#!/bin/sh\necho "$1" >> "${log}"\nwhile [ ! -e "${gone}" ]; do sleep 0.1; done\n`;
  await writeFile(restart ?? '', script, { mode: 0o755 });
  const urls = nodes.map(({ url }) => url);
  let output = '';
  const start = (): Promise<number | null> => {
    const env = {
      PATH: process.env.PATH,
      SNOWGAUGE: `${process.execPath} ${bundle}`,
      RESTART: restart,
      PAUSE: '1',
      ...variables,
    };
    const child = spawn('sh', [join(root, 'deploy/rolling-restart.sh'), ...urls], { env });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    onTestFinished(() => void child.kill());
    return new Promise((resolve) => child.on('close', resolve));
  };
  const lines = async () => (await readFile(log ?? '', 'utf8')).split('\n').filter((line) => line !== '');
  return {
    nodes,
    start,
    output: () => output,
    restarted: async (): Promise<readonly number[]> => (await lines()).map((url) => urls.indexOf(url)),
    go: () => writeFile(gone ?? '', ''),
  };
};

const see = { timeout: 280_000, interval: 100 };

test('the loop restarts one validator after the other, each once the previous one is ready', async () => {
  const { nodes, start, restarted, output, go } = await rolling();
  const ended = start();
  await expect.poll(restarted, see).toEqual([0]);
  expect(output()).toContain('OthersReady');
  await nodes[0]?.setFaults([{ fault: 'subnet-bootstraps', subnet: 'primary' }]);
  await nodes[0]?.tick();
  await go();
  await expect.poll(output, see).toContain('not ready after');
  expect(await restarted()).toEqual([0]);
  await nodes[0]?.setFaults([]);
  expect(await ended).toBe(0);
  expect(await restarted()).toEqual([0, 1]);
});

test('the loop restarts nothing while it is not safe, and gives up with exit code 1', async () => {
  const { nodes, start, restarted, output } = await rolling({ PATIENCE: '1' });
  await nodes[1]?.setFaults([{ fault: 'subnet-bootstraps', subnet: 'primary' }]);
  await nodes[1]?.tick();
  expect(await start()).toBe(1);
  expect(output()).toMatch(/OthersBootstrapping[\s\S]*gave up/);
  expect(await restarted()).toEqual([]);
});

test('the loop ends at once with exit code 2 on an invalid argument', async () => {
  const { start, restarted, output } = await rolling({ DOWNTIME: 'a while' });
  expect(await start()).toBe(2);
  expect(output()).toContain('--for');
  expect(await restarted()).toEqual([]);
});

test('the loop exits with 2 and a message when no URL is given', () => {
  const { status, stderr } = spawnSync('sh', [join(root, 'deploy/rolling-restart.sh')], { env: { RESTART: 'true' } });
  expect([status, String(stderr)]).toEqual([2, 'name the URLs of all nodes, such as http://10.0.0.1:9650\n']);
});

test('the Job’s containers have valid arguments, and its role allows to delete exactly its pods', async () => {
  const folder = join(root, 'deploy/kubernetes/overlays/rolling-restart');
  const objects = ['job.yaml', 'access.yaml'].flatMap((file) =>
    parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((one) => one.toJS()),
  );
  const [{ completions, template }, { rules }] = [
    objects.find(({ kind }) => kind === 'Job').spec,
    objects.find(({ kind }) => kind === 'Role'),
  ];
  const { initContainers, containers } = template.spec;
  const own = [...initContainers, ...containers].filter(({ image }) => image === readNames().image);
  expect(own.map(({ name }) => name)).toEqual(['safe', 'wait']);
  for (const { args } of own) {
    // Aborted before the first request, but after the arguments are parsed.
    const ran = await typed(
      args.map((arg: string) => arg.replace('$(JOB_COMPLETION_INDEX)', '0')),
      { signal: AbortSignal.abort() },
    );
    expect({ args, ...ran }).toMatchObject({ code: 130, stderr: 'stopped\n' });
  }
  const argsOf = (container: string): string[] => initContainers.find(({ name }: { name: string }) => name === container).args;
  const named = argsOf('restart')
    .find((arg) => arg.startsWith('--field-selector=metadata.name='))
    ?.replace('--field-selector=metadata.name=', '');
  expect(argsOf('may')).toContain(`pods/${named}`);
  const pods = Array.from({ length: completions }, (_, at) => named?.replace('$(JOB_COMPLETION_INDEX)', String(at)));
  expect(rules[0].resourceNames).toEqual(pods);
});
