// Valid configuration files and their values, and invalid ones with every error.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is what the file says

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type ConfigText, defaultFile, loadConfig, parseConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/types.ts';
import { formatErrors } from '../../src/yaml/parse.ts';

const fixtures = new URL('../fixtures/config/', import.meta.url);
const text = (file: string): string => readFileSync(new URL(file, fixtures), 'utf8');

const secret = 'hunter2hunter2';

const configOf = async (yaml: string, env: Record<string, string> = {}): Promise<Config> => {
  const parsed = await parseConfig(yaml, env);
  if (parsed.kind === 'invalid') throw new Error(formatErrors('yaml', parsed.errors));
  return parsed.value;
};

const errorsOf = async (yaml: string, env: Record<string, string> = {}): Promise<string> => {
  const parsed = await parseConfig(yaml, env);
  return parsed.kind === 'ok' ? '' : formatErrors('yaml', parsed.errors);
};

const bad = readdirSync(new URL('bad/', fixtures)).filter((file) => file.endsWith('.yaml'));

test.each(bad)('reports every error of bad/%s at once, with line and path', async (file) => {
  const parsed = await parseConfig(text(`bad/${file}`), { SECRET: secret });
  const said = parsed.kind === 'ok' ? 'ok' : formatErrors(file, parsed.errors);
  expect(said).not.toContain(secret);
  await expect(said).toMatchFileSnapshot(new URL(`bad/${file.replace('.yaml', '.txt')}`, fixtures).pathname);
});

const defaultTarget = {
  options: {
    name: 'node',
    url: 'http://127.0.0.1:9650',
    healthCheckFrequency: 30,
    tagSets: [{ name: 'all', tags: [] }],
    indexes: 'auto',
    info: true,
    validator: { enabled: true, expected: false },
    labels: {},
    staleAfter: 3,
    frozenAfter: 3,
    readiness: { ignoreChecks: [], ignoreReasons: ['block-processing', 'stake-disconnected'], failAfter: 2, passAfter: 1 },
    liveness: { unresponsiveAfter: 20, frozenAfter: 20 },
  },
  client: {
    baseUrl: 'http://127.0.0.1:9650',
    timeoutMs: 5000,
    maxReportBytes: 512 * 1024,
    maxBodyBytes: 5 * 1024 * 1024,
    headers: {},
  },
};

const { name: _, url: __, labels: ___, ...found } = defaultTarget.options;
const defaults = {
  discovery: {
    maxTargets: 1000,
    target: {
      ...found,
      tagSets: { isAuto: true, written: [] },
      maxReportSize: 512 * 1024,
      maxBodySize: 5 * 1024 * 1024,
      headers: {},
    },
    file: [],
    http: [],
    dns: [],
    kubernetes: [],
  },
  listen: { host: '0.0.0.0', port: 9652 },
  metrics: { include: [], exclude: [] },
  maintenance: { windows: [] },
  kubernetes: {
    injectionRevisionFile: '/etc/snowgauge-injection/revision',
    podInfoDir: '/etc/snowgauge-pod',
    serviceAccountDir: '/var/run/secrets/kubernetes.io/serviceaccount',
    podLabels: { enabled: false, onShutdown: 'clear', confirmEvery: 60 },
  },
  server: { allowedHosts: [], trustedProxies: [] },
  probe: {
    allow: [],
    modules: [
      {
        name: 'default',
        scheme: 'http',
        target: {
          options: {
            ...defaultTarget.options,
            readiness: { ...defaultTarget.options.readiness, failAfter: 1, passAfter: 1 },
          },
          client: defaultTarget.client,
        },
      },
    ],
    maxConcurrent: 100,
    timeoutOffset: 0.5,
  },
  targets: [defaultTarget],
};

test('an empty file has all defaults', async () => {
  expect(await configOf(text('good/empty.yaml'))).toEqual(defaults);
});

test('a file with every setting is converted to seconds, milliseconds and bytes', async () => {
  const config = await configOf(text('good/full.yaml'));
  expect(config).toMatchObject({
    listen: { host: '::', port: 9652, externalAddress: '10.1.2.3:9652' },
    probes: { port: 9653 },
    stateDir: '/var/lib/snowgauge',
    metrics: { include: ['snowgauge_*', 'process_*'], exclude: ['snowgauge_check_message_*'] },
  });
  expect(config.maintenance).toEqual({
    windows: [
      { targets: ['p-1'], start: 1_795_176_000, end: 1_795_262_400, reason: 'upgrade' },
      { start: 1_795_262_400.5, end: 1_795_262_460, reason: 'network' },
    ],
    tokenFile: '/run/secrets/maintenance',
  });
  expect(config.probe).toMatchObject({
    allow: [
      { host: '*.example.com', ports: [9650] },
      { cidr: '10.0.0.0/8', ports: [9650, 443] },
    ],
    modules: [
      { name: 'default' },
      {
        name: 'private',
        scheme: 'https',
        allow: [{ cidr: 'fd00::/8', ports: [9650] }],
        target: {
          options: { indexes: [], frozenAfter: 5, readiness: { ignoreChecks: ['bls'], failAfter: 1, passAfter: 1 } },
          client: {
            timeoutMs: 250,
            maxReportBytes: 65_536,
            maxBodyBytes: 65_536,
            authorization: { type: 'Bearer', credentialsFile: '/run/secrets/node' },
          },
        },
      },
    ],
    maxConcurrent: 5,
    timeoutOffset: 1,
  });
  expect(config.targets[0]).toEqual({
    options: {
      name: 'p-1',
      url: 'https://proxy.example:8443/nodes/1',
      healthCheckFrequency: 90,
      tagSets: [
        { name: 'all', tags: [] },
        { name: 'my-l1', tags: ['2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r'] },
        { name: 'both', tags: ['a', '11111111111111111111111111111111LpoYY'] },
      ],
      indexes: ['X/tx', 'X/vtx'],
      info: false,
      validator: { enabled: true, expected: true, uptimeRequirement: 0.85 },
      nodeId: 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg',
      labels: { region: 'eu-1', rack: '12', _owner: 'équipe α' },
      staleAfter: 4,
      frozenAfter: 5,
      readiness: { ignoreChecks: ['bls'], ignoreReasons: [], failAfter: 3, passAfter: 2 },
      liveness: { unresponsiveAfter: 30, frozenAfter: 40 },
    },
    client: {
      baseUrl: 'https://proxy.example:8443/nodes/1',
      timeoutMs: 250,
      maxReportBytes: 512 * 1024,
      maxBodyBytes: 512 * 1024,
      headers: { Host: 'localhost', 'X-Scope': '7' },
      tls: { caFile: '/tls/ca.pem', certFile: '/tls/tls.crt', keyFile: '/tls/tls.key' },
      authorization: { type: 'Basic', credentialsFile: '/run/secrets/node' },
    },
  });
});

test('SNOWGAUGE_POD_* variables alone enable pod labels, as for a container in another chart', async () => {
  const config = await configOf('', {
    SNOWGAUGE_POD_NAME: 'node-0',
    SNOWGAUGE_POD_NAMESPACE: 'validators',
    SNOWGAUGE_POD_LABELS_ENABLED: 'true',
    SNOWGAUGE_POD_LABELS_ON_SHUTDOWN: 'keep',
    SNOWGAUGE_POD_LABELS_CONFIRM_EVERY: '2m',
    SNOWGAUGE_SERVICE_ACCOUNT_DIR: '/token',
  });
  expect(config.kubernetes).toEqual({
    podName: 'node-0',
    podNamespace: 'validators',
    injectionRevisionFile: '/etc/snowgauge-injection/revision',
    podInfoDir: '/etc/snowgauge-pod',
    serviceAccountDir: '/token',
    podLabels: { enabled: true, onShutdown: 'keep', confirmEvery: 120 },
  });
});

test('a tag set without tags replaces the default tag set "all"', async () => {
  const config = await configOf(text('good/full.yaml'));
  expect(config.targets[1]?.options.tagSets).toEqual([{ name: 'everything', tags: [] }]);
});

test('the default timeout is not longer than healthCheckFrequency', async () => {
  expect((await configOf(text('good/full.yaml'))).targets[1]?.client.timeoutMs).toBe(1000);
});

test('${NAME} is replaced by the variable, as a number or a string depending on the setting', async () => {
  const config = await configOf(text('good/variables.yaml'), { PORT: '9999', NAME: 'n1', HOST: '10.0.0.1', STALE: '7' });
  expect(config.listen.port).toBe(9999);
  expect(config.targets[0]?.options).toMatchObject({
    name: 'n1',
    url: 'http://10.0.0.1:9650',
    staleAfter: 7,
    tagSets: [{ name: 'all' }, { name: 'literal', tags: ['${NAME}'] }, { name: 'digits', tags: ['9999'] }],
  });
});

test('an alias has the value of its anchor', async () => {
  const config = await configOf(text('good/aliases.yaml'));
  expect(config.targets.map(({ options }) => options.tagSets[1]?.name)).toEqual(['l1', 'l1']);
});

test('a variable overrides the file', async () => {
  const env = {
    SNOWGAUGE_LISTEN_HOST: '127.0.0.1',
    SNOWGAUGE_LISTEN_PORT: '1',
    SNOWGAUGE_PROBES_PORT: '2',
    SNOWGAUGE_STATE_DIR: '/state',
  };
  expect(await configOf('listen: { port: 9, host: "::" }\nstateDir: /other', env)).toMatchObject({
    listen: { host: '127.0.0.1', port: 1 },
    probes: { port: 2 },
    stateDir: '/state',
  });
});

test('SNOWGAUGE_URL sets the URL of the only target and is ignored with several targets', async () => {
  const env = { SNOWGAUGE_URL: 'http://node:9650/' };
  expect((await configOf('listen: { port: 1 }', env)).targets[0]?.options).toMatchObject({
    name: 'node',
    url: 'http://node:9650',
  });
  const discovering = 'discovery: { file: [{ files: [a.json] }] }';
  expect((await configOf(discovering, env)).targets[0]?.options.url).toBe('http://node:9650');
  expect((await configOf(discovering, {})).targets).toEqual([]);
  const named = (await configOf('targets: [{ name: a, url: "http://a", frozenAfter: 9 }]', env)).targets;
  expect(named.map(({ options }) => options)).toMatchObject([{ name: 'a', url: 'http://node:9650', frozenAfter: 9 }]);
  const two = (await configOf('targets: [{ name: a, url: "http://a" }, { name: b, url: "http://b" }]', env)).targets;
  expect(two.map(({ options }) => options.url)).toEqual(['http://a', 'http://b']);
});

test('ignores variables of a Kubernetes service link, unknown and empty variables', async () => {
  const env = {
    SNOWGAUGE_PORT: 'tcp://10.0.0.1:9652',
    SNOWGAUGE_SERVICE_HOST: '10.0.0.1',
    SNOWGAUGE_PORT_9652_TCP: 'tcp://10.0.0.1:9652',
    SNOWGAUGE_LISTEN_PORT: 'tcp://10.0.0.1:9652',
    SNOWGAUGE_URL: 'udp://10.0.0.1:1',
    SNOWGAUGE_STATE_DIR: '',
    SNOWGAUGE_COLOUR: 'red',
  };
  expect(await configOf('', env)).toEqual(defaults);
});

test('an error of a variable contains its name and not its value', async () => {
  const said = await errorsOf('', { SNOWGAUGE_LISTEN_PORT: secret, SNOWGAUGE_URL: `http://u:${secret}@node` });
  expect(said).toBe(`yaml: listen.port: the value of SNOWGAUGE_LISTEN_PORT must be an integer from 0 to 65535
yaml: targets[0].url: the value of SNOWGAUGE_URL contains a user or a password: remove them, and name a file with them in authorization.credentialsFile
`);
});

test.each([
  [
    '10,001 targets',
    Array.from({ length: 10_001 }, (_, at) => `- { name: n${at}, url: "http://a" }`).join('\n'),
    'yaml:2: targets: must have at most 10000 entries\n',
  ],
  [
    '101 tag sets',
    `- { name: a, url: "http://a", tagSets: [${Array.from({ length: 101 }, (_, at) => `{ name: t${at} }`).join(', ')}] }`,
    'yaml:2: targets[0].tagSets: must have at most 100 entries\n',
  ],
  [
    '17 tags',
    `- { name: a, url: "http://a", tagSets: [{ name: t, tags: [${Array.from({ length: 17 }, (_, at) => `t${at}`).join(', ')}] }] }`,
    'yaml:2: targets[0].tagSets[0].tags: must have at most 16 entries\n',
  ],
])('rejects %s', async (_, list, said) => {
  expect(await errorsOf(`targets:\n${list}`)).toBe(said);
});

interface Start {
  readonly title: string;
  readonly file?: string;
  readonly env?: Record<string, string>;
  readonly exists?: boolean;
  readonly source: string;
}

const starts: readonly Start[] = [
  {
    title: '--config before SNOWGAUGE_CONFIG',
    file: 'flag.yaml',
    env: { SNOWGAUGE_CONFIG: 'variable.yaml' },
    exists: true,
    source: 'flag.yaml',
  },
  {
    title: 'SNOWGAUGE_CONFIG before the default file',
    env: { SNOWGAUGE_CONFIG: 'variable.yaml' },
    exists: true,
    source: 'variable.yaml',
  },
  { title: 'the default file if it exists', exists: true, source: defaultFile },
  { title: 'the environment alone without a file', exists: false, source: 'environment' },
];

test.each(starts)('the configuration is read from $title', async ({ file, env = {}, exists = false, source }) => {
  const asked: string[] = [];
  const readFile = async (name: string): Promise<ConfigText> => {
    asked.push(name);
    return { kind: 'ok', text: '' };
  };
  const loaded = await loadConfig({ ...(file !== undefined && { file }), env, readFile, fileExists: () => exists });
  expect(loaded).toMatchObject({ kind: 'ok', source });
  expect(asked).toEqual(source === 'environment' ? [] : [source]);
});

test('a named file that cannot be read is an error', async () => {
  const readFile = async (): Promise<ConfigText> => ({ kind: 'failed', reason: 'there is no such file' });
  const loaded = await loadConfig({ file: 'a.yaml', env: {}, readFile, fileExists: () => false });
  expect(loaded).toMatchObject({
    kind: 'invalid',
    source: 'a.yaml',
    errors: [{ path: '', message: 'cannot be read: there is no such file' }],
  });
});
