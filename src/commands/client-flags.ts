// The options of all commands that send requests to a node: headers, credentials, TLS files. Errors name the command-line options.

import { type Command, Option } from 'commander';
import { type Client, type ClientHooks, createClient } from '../client/client.ts';
import { type ClientOptions, checkClientOptions } from '../client/options.ts';
import { addAll } from '../lists.ts';
import { isHeaderName, isSecretHeader } from '../protocol/request-headers.ts';
import type { ConfigError } from '../yaml/parse.ts';
import { readDuration, readSize, repeated } from './arguments.ts';
import type { CommandContext } from './context.ts';

/** As parsed by commander. All values are texts, so that all errors can be printed at once. */
export interface ClientFlags {
  readonly header: readonly string[];
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly bearerFile?: string;
  readonly basicFile?: string;
  readonly timeout: string;
  readonly maxBodySize?: string;
  readonly output: 'text' | 'json';
}

export const clientFlags = (command: Command): Command =>
  command
    .option('--header <header>', 'header of every request, as `Name: value`; repeatable; not for secrets', repeated, [])
    .option('--ca-file <file>', 'trust these certificate authorities (PEM)')
    .option('--cert-file <file>', 'client certificate (PEM)')
    .option('--key-file <file>', 'key of the client certificate (PEM)')
    .addOption(new Option('--bearer-file <file>', 'file with a bearer token').conflicts('basicFile'))
    .option('--basic-file <file>', 'file with user:password')
    .addOption(new Option('--output <format>', 'output format').choices(['text', 'json']).default('text'));

export const timeoutOption = (timeout: string): Option =>
  new Option('--timeout <duration>', 'timeout of a request').default(timeout);

const maxTimeout = 86_400;

export interface TagFlags extends ClientFlags {
  readonly tag: readonly string[];
}

/** The defaults of `maxReportSize` and `maxBodySize`: a command sees what `snowgauge run` sees. */
const defaultLimits = { maxReportBytes: 512 * 1024, maxBodyBytes: 5 * 1024 ** 2 };
export const defaultSizes = '512KiB for a health report, 5MiB for others, as in snowgauge run';

/** For commands that request health reports, or read a saved one. */
export const tagOptions = (command: Command): Command =>
  clientFlags(
    command
      .option('--tag <tag>', 'only checks with this tag (a subnet id) and the global ones; repeatable', repeated, [])
      .option('--max-body-size <size>', `maximum size of a response or file (default: ${defaultSizes})`),
  );

const maxTags = 64;

export const readTags = ({ tag }: TagFlags, errors: ConfigError[]): readonly string[] => {
  if (tag.length > maxTags) errors.push({ path: '--tag', message: `is given ${tag.length} times: at most ${maxTags}` });
  if (tag.includes('')) errors.push({ path: '--tag', message: 'is empty: write a tag, such as a subnet id' });
  return tag;
};

export const tagWithoutNode: ConfigError = {
  path: '--tag',
  message: 'requires a node: a saved report cannot be filtered by tag',
};

/** `url` is undefined for a saved report, which needs no request. `timeoutFlag`: name of the option that sets `timeout`. */
export const readClient = (
  url: string | undefined,
  flags: ClientFlags,
  version: string,
  errors: ConfigError[],
  timeoutFlag = '--timeout',
): ClientOptions => {
  const { caFile, certFile, keyFile, bearerFile, basicFile, maxBodySize } = flags;
  const credentialsFile = bearerFile ?? basicFile;
  const options: ClientOptions = {
    baseUrl: url ?? 'http://127.0.0.1',
    timeoutMs: Math.ceil(readDuration(timeoutFlag, flags.timeout, 0.001, maxTimeout, errors) * 1000),
    ...(maxBodySize === undefined ? defaultLimits : { maxBodyBytes: readSize('--max-body-size', maxBodySize, errors) }),
    userAgent: `snowgauge/${version}`,
    headers: readHeaders(flags.header, errors),
    tls: { caFile, certFile, keyFile },
    authorization:
      credentialsFile === undefined ? undefined : { type: bearerFile === undefined ? 'Basic' : 'Bearer', credentialsFile },
  };
  // Reads the files only if there is a node to query, and no other error.
  if (errors.length === 0 && url !== undefined) addAll(errors, checkClientOptions(options).map(inFlags(flags)));
  return options;
};

/** One client for each URL. Adds the errors of all of them, and each only once. */
export const readClients = (
  urls: readonly (string | undefined)[],
  flags: ClientFlags,
  version: string,
  errors: ConfigError[],
): readonly ClientOptions[] => {
  const areSeveral = urls.filter((url) => url !== undefined).length > 1;
  const found = new Map<string, ConfigError>();
  const clients = urls.map((url, at) => {
    const own: ConfigError[] = [];
    const client = readClient(url, flags, version, own);
    for (const { path, message } of own) {
      const place = path === 'URL' && areSeveral ? `URL ${at + 1}` : path;
      found.set(`${place}: ${message}`, { path: place, message });
    }
    return client;
  });
  addAll(errors, [...found.values()]);
  return clients;
};

const readHeaders = (given: readonly string[], errors: ConfigError[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    given.map((text) => {
      const colon = Math.max(0, text.indexOf(':'));
      const name = text.slice(0, colon).trim();
      // Does not show the value: it may be a secret that should not be on the command line.
      if (name === '') errors.push({ path: '--header', message: 'is not a header: write it as `Name: value`' });
      // Every process on the machine can read the command line, so a value there is not secret.
      if (isSecretHeader(name)) {
        const message = `${JSON.stringify(name)} is a secret, and other users can see the command line: use --bearer-file or --basic-file`;
        errors.push({ path: '--header', message });
      }
      return [name, text.slice(colon + 1).trim()];
    }),
  );

/** Replaces the names of client options in errors by those of the command-line options. */
const inFlags = ({ bearerFile }: ClientFlags) => {
  const names = {
    'authorization.credentialsFile': bearerFile === undefined ? '--basic-file' : '--bearer-file',
    'tls.caFile': '--ca-file',
    'tls.certFile': '--cert-file',
    'tls.keyFile': '--key-file',
    caFile: '--ca-file',
    certFile: '--cert-file',
    keyFile: '--key-file',
    baseUrl: 'URL',
  };
  const renamed = (text: string): string =>
    Object.entries(names).reduce((said, [name, flag]) => said.replaceAll(name, flag), text);
  return ({ path, message }: ConfigError): ConfigError => {
    const [, header] = /^headers\.(.*)$/s.exec(path) ?? [];
    if (header !== undefined)
      return { path: '--header', message: isHeaderName(header) ? `${JSON.stringify(header)} ${message}` : message };
    return { path: renamed(path), message: renamed(message).replace('in --basic-file', 'with --bearer-file or --basic-file') };
  };
};

/** Runs `work` with a client, and closes its connections at the end. If the signal is aborted first, all requests end at once. */
export const withClient = async <T>(
  options: ClientOptions,
  { now, signal }: Pick<CommandContext, 'now' | 'signal'>,
  work: (client: Client) => Promise<T>,
  hooks: ClientHooks = {},
): Promise<T> => {
  const client = createClient(options, now, hooks);
  if (signal.aborted) client.close();
  else signal.addEventListener('abort', client.close, { once: true });
  try {
    return await work(client);
  } finally {
    signal.removeEventListener('abort', client.close);
    client.close();
  }
};
