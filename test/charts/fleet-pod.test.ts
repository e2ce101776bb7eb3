// Runs the container of mode fleet like a pod of its StatefulSet, against an API server with the rendered objects and no nodes.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { at, type Manifest, objectsOf, texts } from '../support/chart.ts';
import { freePort } from '../support/free-port.ts';
import { accountOf, tls } from '../support/label-keeper.ts';
import { startCommand } from '../support/running-command.ts';
import { serveHttps } from '../support/serve.ts';
import { describeWith } from '../support/tools.ts';
import { until } from '../support/until.ts';

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The list paths that the Roles allow, with the resource name if it is restricted. */
const allowedBy = (roles: readonly Manifest[]): readonly string[] =>
  roles.flatMap((role) =>
    list(role.rules).flatMap((rule) => {
      const [group] = list(at(rule, 'apiGroups'));
      const path = `${group === '' ? '/api/v1' : `/apis/${group}/v1`}/namespaces/${at(role, 'metadata.namespace')}`;
      const names = list(at(rule, 'resourceNames'));
      return list(at(rule, 'resources')).map(
        (kind) => `${path}/${kind}${names.length === 0 ? '' : `?metadata.name=${names[0]}`}`,
      );
    }),
  );

/** An API server that serves the paths allowed by the Roles and records the others. */
const serveApi = async (allowed: readonly string[], set: object) => {
  const forbidden: string[] = [];
  const certificate = { cert: await readFile(join(tls, 'server.crt')), key: await readFile(join(tls, 'server.key')) };
  const server = await serveHttps(certificate, ({ url = '' }, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(url, 'https://api');
    const selected = searchParams.get('fieldSelector');
    const asked = `${pathname}${selected === null ? '' : `?${selected}`}`;
    if (!allowed.includes(asked)) forbidden.push(asked);
    response.writeHead(allowed.includes(asked) ? 200 : 403, { 'content-type': 'application/json' });
    // A watch stays open until the end of the test.
    if (searchParams.has('watch')) return response.flushHeaders();
    response.end(JSON.stringify({ metadata: { resourceVersion: '1' }, items: pathname.endsWith('/statefulsets') ? [set] : [] }));
  });
  onTestFinished(() => server.close());
  return { url: new URL(server.url), forbidden };
};

describeWith(['helm'], 'the pod of mode fleet', (helm = '') => {
  test('becomes ready without nodes and sends only requests that its Roles allow', async () => {
    const port = await freePort();
    const objects = await objectsOf(helm, { namespace: 'a', values: { config: { listen: { port } } } });
    const set = objects.find(({ kind }) => kind === 'StatefulSet');
    const status = { readyReplicas: 0 };
    const api = await serveApi(allowedBy(objects.filter(({ kind }) => kind === 'Role')), { ...set, status });
    const folder = await mkdtemp(join(tmpdir(), 'snowgauge-fleet-'));
    const config = objects.find(({ kind }) => kind === 'ConfigMap');
    await writeFile(join(folder, 'snowgauge.yaml'), texts(config?.data)['snowgauge.yaml'] ?? '');
    const own: Readonly<Record<string, string>> = {
      'metadata.name': `${at(set, 'metadata.name')}-0`,
      'metadata.namespace': String(at(set, 'metadata.namespace')),
    };
    const container = at(set, 'spec.template.spec.containers.0');
    const given = list(at(container, 'env')).map((one) => [
      String(at(one, 'name')),
      own[String(at(one, 'valueFrom.fieldRef.fieldPath'))] ?? at(one, 'value'),
    ]);
    const env = {
      ...Object.fromEntries(given),
      KUBERNETES_SERVICE_HOST: api.url.hostname,
      KUBERNETES_SERVICE_PORT: api.url.port,
      SNOWGAUGE_SERVICE_ACCOUNT_DIR: accountOf(),
    };
    const args = list(at(container, 'args')).map((arg) => String(arg).replace('/etc/snowgauge', folder));
    const running = startCommand(args, { env });
    onTestFinished(async () => {
      running.stop();
      expect(await running.finished).toMatchObject({ code: 0, stderr: '' });
      await rm(folder, { recursive: true });
    });
    const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(60_000) });
    await until('it is ready', async () => (await ask('/readyz')).status === 200);
    await until('it has listed the pods', async () =>
      (await (await ask('/metrics')).text()).includes('snowgauge_discovery_last_refresh_successful{source="kubernetes/0"} 1'),
    );
    expect(await (await ask('/api/v1/sd')).json()).toMatchObject([{ labels: { __metrics_path__: '/exporter/metrics' } }]);
    expect(api.forbidden).toEqual([]);
  });
});
