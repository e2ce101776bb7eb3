// No error about a setting shows a credential in it: every setting of the schemas, every variable, and text that is not YAML.

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { toJSONSchema } from 'zod/mini';
import { readFile } from '../../src/client/files.ts';
import { checkClientOptions } from '../../src/client/options.ts';
import { configJsonSchema, type JsonSchema } from '../../src/config/json-schema.ts';
import { parseConfig } from '../../src/config/load.ts';
import { webSchema } from '../../src/server/web/schema.ts';
import { loadWeb } from '../../src/server/web/web.ts';
import { formatErrors, type Parsed, parseYaml } from '../../src/yaml/parse.ts';
import { drawn } from '../support/cases.ts';
import { fileOf, typed } from '../support/command.ts';
import { file } from './secrets.ts';
import { settingsWithoutSecrets } from './settings-without-secrets.ts';

type Path = readonly (string | number)[];

/** The path of each setting, with the first entry of a list, and the key `k` of a mapping with arbitrary keys. */
const leavesOf = (schema: JsonSchema | boolean | undefined, path: Path = []): readonly Path[] => {
  if (typeof schema !== 'object') return [];
  const { properties = {}, items, additionalProperties, anyOf = [], allOf = [] } = schema;
  const inner = [
    ...Object.entries(properties).flatMap(([key, one]) => leavesOf(one, [...path, key])),
    ...(items === undefined || Array.isArray(items) ? [] : leavesOf(items, [...path, 0])),
    ...(typeof additionalProperties === 'object' ? leavesOf(additionalProperties, [...path, 'k']) : []),
    ...[...anyOf, ...allOf].flatMap((one) => leavesOf(one, path)),
  ];
  return path.length === 0 ? inner : [path, ...inner];
};

const distinct = (paths: readonly Path[]): readonly Path[] => [...new Map(paths.map((path) => [path.join('.'), path])).values()];

const nested = ([key, ...rest]: Path, leaf: unknown): unknown => {
  if (key === undefined) return leaf;
  return typeof key === 'number' ? [nested(rest, leaf)] : { [key]: nested(rest, leaf) };
};

const errorsOf = (parsed: Parsed<unknown>): string => (parsed.kind === 'ok' ? '' : formatErrors('f', parsed.errors));

const schemas = {
  configuration: { leaves: distinct(leavesOf(configJsonSchema())), parse: (text: string) => parseConfig(text, {}) },
  'web configuration': {
    leaves: distinct(leavesOf(toJSONSchema(webSchema, { io: 'input', unrepresentable: 'any' }))),
    parse: (text: string) => parseYaml(text, webSchema),
  },
};

const nameOf = (path: Path): string => String(path.findLast((key) => typeof key === 'string' && key !== 'k') ?? '');

describe.each(Object.entries(schemas))('an error of the %s', (_, { leaves, parse }) => {
  test.each(leaves.map((path) => ({ setting: path.join('.'), path })))('in $setting shows no secret', async ({ path }) => {
    const secret = `S3-${randomBytes(20).toString('hex')}`;
    const short = `p4${randomBytes(4).toString('hex')}`;
    const wrong = [
      secret,
      `${secret}\n`,
      [secret],
      { [secret]: secret },
      { k: `${secret}\u2603` },
      `http://${secret}@h/`,
      `-----BEGIN ${secret}`,
    ];
    for (const leaf of wrong) expect(errorsOf(await parse(JSON.stringify(nested(path, leaf))))).not.toContain(secret);
    if (settingsWithoutSecrets.has(nameOf(path))) return;
    for (const leaf of [short, `${short}\n`, { k: `${short}\u2603` }])
      expect(errorsOf(await parse(JSON.stringify(nested(path, leaf))))).not.toContain(short);
  });
});

test('every name in the list of settings without secrets is a setting', () => {
  const all = new Set(Object.values(schemas).flatMap(({ leaves }) => leaves.map(nameOf)));
  expect([...settingsWithoutSecrets].filter((name) => !all.has(name))).toEqual([]);
});

test('invalid YAML is not quoted: a configuration with a character added or removed at any position', async () => {
  const secret = `S3-${randomBytes(20).toString('hex')}`;
  const text = `targets:
  - name: a
    url: https://h/v2/${secret}
    headers: { X-Api-Key: "${secret}" }
    authorization: { credentialsFile: /run/${secret} }
`;
  const spoilt = Array.from(text).flatMap((_, at) =>
    ['', '"', "'", '{', ']', ': ', '|', '*', '&', '!', '%', '\\', '\t', '\n', '#', '@'].map(
      (put) => text.slice(0, at) + put + text.slice(put === '' ? at + 1 : at),
    ),
  );
  // The rest of a credential after the changed character must not be quoted either.
  const part = secret.slice(-16);
  for (const one of drawn(spoilt)) expect(errorsOf(await parseConfig(one, {}))).not.toContain(part);
  for (const one of [
    `- "\\x${secret}"`,
    `a: |${secret}\n`,
    `%${secret}\n---\n`,
    `a: *${secret}`,
    `a: !${secret} b`,
    `"${secret}`,
    `a: &${secret}`,
  ])
    expect(errorsOf(await parseConfig(one, {}))).not.toContain(part);
});

const variables = [
  ...new Set(
    ['configuration.md', 'web-configuration.md', 'commands.md', 'maintenance.md', 'discovery.md', 'kubernetes.md'].flatMap(
      (name) => readFileSync(file(`../../docs/${name}`), 'utf8').match(/\bSNOWGAUGE_[A-Z_]*[A-Z]\b/g) ?? [],
    ),
  ),
];

test('the documents name more than 15 variables', () => expect(variables.length).toBeGreaterThan(15));

/** Their values are file names, which errors may show. */
const namesFile = new Set(['SNOWGAUGE_CONFIG', 'SNOWGAUGE_WEB_CONFIG_FILE']);

test.each(variables.filter((name) => !namesFile.has(name)))('the value of %s is not shown when the start fails', async (name) => {
  const secret = `S3-${randomBytes(20).toString('hex')}`;
  for (const value of [secret, `http://u:${secret}@h`, `http://h/?k=${secret}`, `http://h/${secret}/ext/health`]) {
    const env = { SNOWGAUGE_LISTEN_PORT: 'x', SNOWGAUGE_SHARD: 'x', [name]: value };
    const { stdout, stderr, code } = await typed(['run'], { env });
    expect(code).toBe(2);
    expect(stdout + stderr).not.toContain(secret);
  }
});

test.each([
  { what: 'a key without PEM', content: (secret: string) => secret },
  {
    what: 'an invalid key',
    content: (secret: string) => `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----\n`,
  },
  { what: 'a key that needs a passphrase', content: (secret: string) => encrypted(secret) },
  { what: 'a credential of two lines', content: (secret: string) => `${secret}\n${secret}` },
  { what: 'an empty credential', content: () => '' },
])('errors do not quote a file with $what', async ({ content }) => {
  const secret = `S3-${randomBytes(20).toString('hex')}`;
  const text = content(secret);
  const path = await fileOf(text);
  const cert = file('../fixtures/tls/client.crt');
  const client = { baseUrl: 'https://h', timeoutMs: 1, maxBodyBytes: 1, userAgent: 'test' };
  const errors = [
    ...checkClientOptions({ ...client, tls: { certFile: cert, keyFile: path } }),
    ...checkClientOptions({ ...client, tls: { caFile: path } }),
    ...checkClientOptions({ ...client, authorization: { type: 'Bearer', credentialsFile: path } }),
    ...checkClientOptions({ ...client, authorization: { type: 'Basic', credentialsFile: path } }),
  ];
  expect(errors.length).toBeGreaterThan(2);
  const web = [
    `{ cert_file: ${cert}, key_file: ${path} }`,
    JSON.stringify({ cert: readFileSync(cert, 'utf8'), key: text || secret }),
    `{ cert_file: "${cert}", key_file: ${JSON.stringify(text || secret)} }`,
  ];
  // An empty file is a different error.
  for (const tls of text === '' ? [] : web) {
    const options = {
      file: '/web.yaml',
      text: `tls_server_config: ${tls}`,
      read: readFile,
      now: () => 0,
      refused: () => undefined,
      renewed: () => undefined,
      disconnected: () => undefined,
    };
    const loaded = await loadWeb(options);
    expect(loaded.kind).toBe('invalid');
    if (loaded.kind === 'invalid') errors.push(...loaded.errors);
  }
  expect(formatErrors('f', errors)).not.toContain(secret);
  for (const line of text.split('\n').filter((one) => one.length > 20 && !one.startsWith('---')))
    expect(formatErrors('f', errors)).not.toContain(line.slice(0, 20));
});

/** A key encrypted with this passphrase. */
const encrypted = (passphrase: string): string =>
  generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;
