// Somebody with write access to a folder that the exporter reads puts endless devices and pipes without writers there: the exporter
// keeps working, and ends on SIGTERM.

import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodes } from '../discovery/world.ts';
import { temporaryFolder } from '../support/events.ts';
import { describeWithPipes, makePipe } from '../support/pipes.ts';
import { patience, startRun } from '../support/run-process.ts';

const nobody = 'http://127.0.0.1:1';
const targets = [{ name: 'own', url: nobody, healthCheckFrequency: '1s' }];

const configured = async (given: object): Promise<string> => {
  const file = join(await temporaryFolder(), 'snowgauge.json');
  await writeFile(file, JSON.stringify({ targets, ...given }));
  return file;
};

/** More than the threads that read files. */
const many = 6;

describeWithPipes('with links to /dev/zero and pipes', () => {
  test('among the files of discovery, the exporter reads the other files, serves scrapes, and ends on SIGTERM', async () => {
    const [folder, elsewhere] = [await temporaryFolder(), await temporaryFolder()];
    const { port } = await nodes();
    const list = (host: string, target: string): string => JSON.stringify([{ targets: [`${host}:${port}`], labels: { target } }]);
    await writeFile(join(folder, 'a.yaml'), list('127.0.0.2', 'file'));
    await writeFile(join(elsewhere, 'linked'), list('127.0.0.3', 'linked'));
    await symlink(join(elsewhere, 'linked'), join(folder, 'b.yaml'));
    await symlink('/dev/zero', join(folder, 'z.yaml'));
    for (let at = 0; at < many; at += 1) await makePipe(join(folder, `p${at}.yaml`));
    const file = await configured({ discovery: { file: [{ files: [`${folder}/*.yaml`] }] } });
    const run = await startRun(file);
    await run.said('z.yaml cannot be read: it is not a regular file');
    await run.said('p0.yaml cannot be read: it is not a regular file');
    await expect
      .poll(async () => (await run.series()).filter(({ name }) => name === 'snowgauge_target_info').length, patience)
      .toBe(3);
    await rename(join(folder, 'z.yaml'), join(folder, 'a.yaml'));
    await run.said('a.yaml cannot be read: it is not a regular file');
    expect(await run.values('snowgauge_target_info', { target: 'file' })).toEqual([1]);
    run.signal('SIGTERM');
    expect(await run.exited).toBe(0);
  });

  const others = [
    { what: 'links to /dev/zero', put: (path: string) => symlink('/dev/zero', path) },
    { what: 'pipes', put: makePipe },
  ];

  const pod = { podName: 'node-0', podNamespace: 'a', podLabels: { enabled: true } };
  const asking = [
    { name: 'token', kubernetes: pod, more: {} },
    { name: 'ca.crt', kubernetes: {}, more: { discovery: { kubernetes: [{ namespaces: ['a'] }] } } },
  ];

  test.each(others.flatMap((other) => asking.map((ask) => ({ ...other, ...ask }))))(
    'in place of mounted files ($what for $name and the annotations), the exporter logs their names and ends on SIGTERM',
    async ({ put, name, kubernetes, more }) => {
      const [serviceAccountDir, podInfoDir] = [await temporaryFolder(), await temporaryFolder()];
      await writeFile(join(serviceAccountDir, 'ca.crt'), 'none');
      await writeFile(join(serviceAccountDir, 'token'), 'none');
      await put(join(serviceAccountDir, `${name}.other`));
      await rename(join(serviceAccountDir, `${name}.other`), join(serviceAccountDir, name));
      for (const annotation of ['maintenance-until', 'maintenance-reason']) await put(join(podInfoDir, annotation));
      const file = await configured({ kubernetes: { serviceAccountDir, podInfoDir, ...kubernetes }, ...more });
      const run = await startRun(file, { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: '1' });
      await run.said(`${serviceAccountDir}: ${name}: it is not a regular file`);
      await run.said(`maintenance annotation ignored: ${podInfoDir}: maintenance-until: it is not a regular file`);
      expect((await run.get('/metrics')).status).toBe(200);
      run.signal('SIGTERM');
      expect(await run.exited).toBe(0);
    },
  );

  test.each(others)(
    'in place of state files ($what), the exporter replaces them, serves requests and ends on SIGTERM',
    async ({ put }) => {
      const stateDir = await temporaryFolder();
      await mkdir(join(stateDir, 'events'));
      await mkdir(join(stateDir, 'liveness'));
      const names = [
        ...['maintenance.json', 'indexes.json', 'subnets.json', 'discovered.json', 'liveness/own.json', 'liveness/other.json'],
        'events/events-1700000000000-a.ndjson',
      ];
      for (const name of names) await put(join(stateDir, name));
      const run = await startRun(await configured({ stateDir, maintenance: {} }));
      await run.said(`${stateDir}/maintenance.json`);
      const window = JSON.stringify({ for: '1h', reason: 'a test' });
      const headers = { 'content-type': 'application/json' };
      const opened = await fetch(`${run.url}/api/v1/maintenance`, { method: 'PUT', headers, body: window });
      expect(await opened.text()).toContain('a test');
      const isFile = async (): Promise<boolean> =>
        (await readdir(stateDir, { withFileTypes: true })).some((one) => one.name === 'maintenance.json' && one.isFile());
      await expect.poll(isFile, patience).toBe(true);
      expect(await readdir(join(stateDir, 'liveness'))).not.toContain('other.json');
      run.signal('SIGTERM');
      expect(await run.exited).toBe(0);
    },
  );

  // As bash does for `--config <(...)`, if the writer ends before the exporter reads.
  test('as a piped configuration, the exporter reads it once, ignores SIGHUP and ends on SIGTERM', async () => {
    const pipe = await makePipe(join(await temporaryFolder(), 'pipe'));
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(pipe, constants.O_WRONLY);
    writeSync(writer, JSON.stringify({ targets }));
    closeSync(writer);
    const run = await startRun(`/proc/${process.pid}/fd/${reader}`);
    await expect.poll(() => run.values('snowgauge_target_info', { target: 'own' }), patience).toEqual([1]);
    run.signal('SIGHUP');
    await run.said('SIGHUP ignored: no configuration file');
    run.signal('SIGTERM');
    expect(await run.exited).toBe(0);
    closeSync(reader);
    expect(run.lines().filter((line) => line.includes('reload failed'))).toEqual([]);
  });

  test('in place of the configuration file, the exporter keeps the last configuration and ends on SIGTERM', async () => {
    const file = await configured({});
    const run = await startRun(file);
    await makePipe(`${file}.new`);
    await rename(`${file}.new`, file);
    await run.said('cannot be read: it is not a regular file');
    expect((await run.get('/metrics')).status).toBe(200);
    run.signal('SIGTERM');
    expect(await run.exited).toBe(0);
  });
});
