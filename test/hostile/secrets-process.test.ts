// Runs the program with a different credential in every setting that may hold one, against servers that echo each wherever they can:
// none appears in log, page, API, metrics or files. Also checks that each credential was sent.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/events.ts';
import { patience, startRun } from '../support/run-process.ts';
import { closedPort, serveAnswer, serveHttp } from '../support/serve.ts';
import { echo, expectNone, marked, markedDigits } from './secrets.ts';

/** The server must receive these unchanged. */
const sentNames = [
  'pathKey',
  'secondPathKey',
  'headerKey',
  'cookie',
  'bearer',
  'envHeader',
  'sdQuery',
  'sdPath',
  'sdPassword',
  'sdToken',
  'foundKey',
  'probeKey',
  'probeToken',
] as const;

const secrets = {
  ...marked(
    ...sentNames,
    'basicPassword',
    'filePassword',
    'fileQuery',
    'webPassword',
    'wrongWebPassword',
    'maintenanceToken',
    'wrongMaintenanceToken',
    'probeQuery',
    'reloaded',
  ),
  secondPathKey: markedDigits(),
  headerKey: markedDigits(),
  bearer: markedDigits(),
};

const used = async <T extends { readonly close: () => Promise<void> }>(server: Promise<T>): Promise<T> => {
  const served = await server;
  onTestFinished(() => served.close());
  return served;
};

const filesUnder = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => statSync(name).isFile());

const hows = ['echo', 'denied', 'forbidden', 'redirect', 'malformed', 'mistyped'];

test('log, page, API, metrics and files show no credential that a server echoes', async () => {
  const folder = await temporaryFolder();
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const seen: string[] = [];
  const node = await used(serveHttp(echo(seen)));
  const groups = [
    {
      targets: [
        `${node.url}/as-echo/${secrets.foundKey}`,
        `${node.url}/as-denied/${secrets.foundKey}?x`,
        `u:${secrets.foundKey}@h:1`,
      ],
    },
  ];
  const list = await used(
    serveHttp((request, response) => {
      seen.push(request.url ?? '', ...Object.values(request.headers).map(String));
      response.end(JSON.stringify(groups));
    }),
  );
  const badList = await used(serveAnswer(200, `{"${secrets.sdPath}${secrets.sdToken}`));
  const token = write('token', `${secrets.bearer}\n`);
  const basic = write('basic', `user:${secrets.basicPassword}`);
  const common = (kind: 'Bearer' | 'Basic') => ({
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what snowgauge replaces
    headers: { 'X-Api-Key': secrets.headerKey, Cookie: `a=b; session=${secrets.cookie}`, 'X-Env-Token': 'x ${HEADER}' },
    authorization: kind === 'Bearer' ? { type: kind, credentialsFile: token } : { type: kind, credentialsFile: basic },
    healthCheckFrequency: '1s',
    // Longer than this process, which serves the nodes, may stall.
    staleAfter: 60,
    frozenAfter: 60,
  });
  const sd = (base: string) => ({
    url: `${base}/sd/${secrets.sdPath}?key=${secrets.sdQuery}`,
    headers: { 'X-Sd': secrets.sdPassword, Authorized: 'no' },
    authorization: { credentialsFile: write('sd-token', secrets.sdToken) },
    refreshInterval: '1s',
    relabelings: [{ action: 'labelmap', regex: '__meta_(url)', replacement: 'found_at' }],
  });
  const port = await closedPort();
  const configuration = {
    stateDir: join(folder, 'state'),
    maintenance: { tokenFile: write('maintenance', secrets.maintenanceToken) },
    probe: {
      allow: [{ cidr: '127.0.0.0/8', ports: [node.port] }],
      modules: [{ name: 'default', authorization: { credentialsFile: write('probe', secrets.probeToken) } }],
    },
    targets: [
      ...hows.map((how, at) => ({
        name: how,
        url: `${node.url}/as-${how}/${secrets.pathKey}/v2/${secrets.secondPathKey}`,
        ...common(at % 2 === 0 ? 'Bearer' : 'Basic'),
      })),
      { name: 'refused', url: `http://127.0.0.1:${port}/${secrets.pathKey}`, ...common('Bearer') },
      { name: 'nameless', url: `https://no.invalid/${secrets.pathKey}`, ...common('Basic') },
      { name: 'not-tls', url: `${node.url.replace('http', 'https')}/${secrets.pathKey}`, ...common('Basic') },
    ],
    discovery: {
      http: [sd(list.url), sd(badList.url), sd(`http://127.0.0.1:${port}`)],
      file: [
        {
          files: [
            write(
              'list.json',
              JSON.stringify([
                { targets: [`http://u:${secrets.filePassword}@h`, `http://h/?${secrets.fileQuery}`, `h/${secrets.fileQuery}`] },
              ]),
            ),
          ],
        },
      ],
    },
  };
  const config = write('snowgauge.json', JSON.stringify(configuration));
  const web = write('web.yaml', `basic_auth_users: { user: "${hashSync(secrets.webPassword, 4)}" }`);
  const run = await startRun(config, { HEADER: secrets.envHeader }, ['--web.config.file', web, '--log.level', 'debug']);

  const get = async (path: string, password = secrets.webPassword, init: RequestInit = {}): Promise<string> => {
    const authorization = `Basic ${Buffer.from(`user:${password}`).toString('base64')}`;
    const response = await fetch(run.url + path, { ...init, headers: { authorization, ...init.headers } });
    return [response.status, ...Array.from(response.headers, String), await response.text()].join('\n');
  };
  // Polls each node twice, because the second poll uses the stored result of the first.
  await expect
    .poll(() => seen.filter((one) => /as-\w+\/.*ext\/health(?:\?|$)/.test(one)).length, patience)
    .toBeGreaterThan(hows.length * 2);
  await expect.poll(() => get('/api/v1/status'), patience).toContain('"name":"127.0.0.1');

  const probed = `/probe?debug=true&target=${encodeURIComponent(`${node.url}/as-echo/${secrets.probeKey}`)}`;
  const paths = [
    '/',
    '/?q=a',
    '/metrics',
    '/exporter/metrics',
    '/api/v1/status',
    '/api/v1/fleet',
    '/api/v1/sd',
    '/api/v1/history',
    '/api/v1/maintenance',
  ];
  const ofTargets = configuration.targets.flatMap(({ name }) =>
    ['', '/metrics', '/readyz?verbose', '/livez?verbose', '/startupz?verbose'].map((rest) => `/targets/${name}${rest}`),
  );
  const more = [
    '/readyz?verbose',
    '/livez?verbose',
    '/api/v1/safe-to-restart',
    '/api/v1/shards',
    probed,
    probed.replace('debug=true&', ''),
  ];
  const places: Record<string, string> = {};
  for (const path of [...paths, ...ofTargets, ...more]) places[path.slice(0, 40)] = await get(path);
  places['a probe with a query'] = await get(`/probe?target=${encodeURIComponent(`${node.url}?k=${secrets.probeQuery}`)}`);
  places['a wrong password'] = await get('/', secrets.wrongWebPassword);
  const body = { method: 'PUT', body: '{}', headers: { authorization: `Bearer ${secrets.wrongMaintenanceToken}` } };
  places['a wrong token'] = await get('/api/v1/maintenance', '', body);
  places.events = await eventsOf(run.url, secrets.webPassword);

  // An invalid configuration with secrets in every invalid place.
  const {
    targets: [first],
    ...rest
  } = configuration;
  const wrong = {
    ...rest,
    targets: [
      {
        ...first,
        url: `http://u:${secrets.reloaded}@h`,
        timeout: secrets.reloaded,
        [secrets.reloaded]: 1,
        headers: secrets.reloaded,
      },
    ],
  };
  writeFileSync(config, JSON.stringify(wrong));
  run.signal('SIGHUP');
  await run.said('reload failed');
  for (const path of ['/', '/api/v1/status', '/readyz?verbose']) places[`${path} after a reload`] = await get(path);
  writeFileSync(config, `a: "${secrets.reloaded}\n  b: *${secrets.reloaded}`);
  run.signal('SIGHUP');
  await run.said('not YAML');
  places['/ after another reload'] = await get('/');

  run.signal('SIGTERM');
  await run.exited;
  places['the log'] = run.lines().join('\n');
  const state = filesUnder(configuration.stateDir);
  expect(state.length).toBeGreaterThan(0);
  for (const name of state) places[name.replace(folder, '')] = readFileSync(name, 'latin1');

  const sent = seen.join(' ');
  for (const name of sentNames) expect([name, sent.includes(secrets[name])]).toEqual([name, true]);
  expect(sent).toContain(Buffer.from(`user:${secrets.basicPassword}`).toString('base64'));
  expect(places['/metrics']).toContain(`url="${node.url}/…"`);
  for (const path of ['/api/v1/status', '/api/v1/fleet']) expect(places[path]).toContain(`"url":"${node.url}/…"`);
  for (const path of ['/api/v1/status', '/metrics', '/api/v1/history']) expect(places[path]).toContain('***');
  expectNone(places, secrets);
});

/** The first chunk of the event stream. */
const eventsOf = async (url: string, password: string): Promise<string> => {
  const authorization = `Basic ${Buffer.from(`user:${password}`).toString('base64')}`;
  const response = await fetch(`${url}/api/v1/events`, { headers: { authorization } });
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return Buffer.from(value ?? []).toString();
};

test('an unexpected exception ends the process with its stack trace, without the properties of the error', async () => {
  const { held, caused } = marked('held', 'caused');
  const thrower = `process.on('SIGUSR2', () => { throw Object.assign(new Error('unexpected', { cause: Object.assign(new Error('x'), { input: process.env.CAUSED }) }), { options: { headers: { authorization: process.env.HELD } } }); })`;
  const config = join(await temporaryFolder(), 'config.yaml');
  writeFileSync(config, '{}');
  const run = await startRun(config, {
    HELD: held,
    CAUSED: caused,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(thrower)}`,
  });
  run.signal('SIGUSR2');
  expect(await run.exited).toBe(1);
  const output = (): string => run.lines().join('\n');
  await expect.poll(output, patience).toMatch(/Error: unexpected\n +at /);
  expectNone({ output: output() }, { held, caused });
});
