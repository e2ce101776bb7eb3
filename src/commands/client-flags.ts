// The options of every command that asks a node: what is sent with each question, and the files that open a door. And every
// error in them, in their own names.

import { type Command, Option } from 'commander';
import type { Authorization, ClientOptions } from '../client/options.ts';
import type { ConfigError, Parsed } from '../yaml/parse.ts';
import { error } from './durations.ts';

/** As commander gives them: texts, so that every error is said at once. */
export interface ClientFlags {
  readonly header: readonly string[];
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly bearerFile?: string;
  readonly basicFile?: string;
}

export const gathered = (value: string, before: readonly string[]): readonly string[] => [...before, value];

export const clientFlags = (command: Command): Command =>
  command
    .option('--header <header>', 'header of every request, as `Name: value`; repeatable; not for secrets', gathered, [])
    .option('--ca-file <file>', 'trust these certificate authorities (PEM)')
    .option('--cert-file <file>', 'client certificate (PEM)')
    .option('--key-file <file>', 'key of the client certificate (PEM)')
    .addOption(new Option('--bearer-file <file>', 'file with a bearer token').conflicts('basicFile'))
    .option('--basic-file <file>', 'file with user:password');

export const filesOf = ({
  caFile,
  certFile,
  keyFile,
  bearerFile,
  basicFile,
}: ClientFlags): Pick<ClientOptions, 'tls' | 'authorization'> => {
  const authorization: Authorization | undefined =
    bearerFile !== undefined
      ? { type: 'Bearer', credentialsFile: bearerFile }
      : basicFile === undefined
        ? undefined
        : { type: 'Basic', credentialsFile: basicFile };
  const tls = {
    ...(caFile !== undefined && { caFile }),
    ...(certFile !== undefined && { certFile }),
    ...(keyFile !== undefined && { keyFile }),
  };
  return { ...(Object.keys(tls).length > 0 && { tls }), ...(authorization !== undefined && { authorization }) };
};

/** What every process of the machine can read on a command line is no secret any more. */
const secret = /^(?:proxy-)?authorization$|^cookie$|key|token|secret|password/i;

export const readHeaders = (given: readonly string[]): Parsed<Readonly<Record<string, string>> | undefined> => {
  const pairs = given.map((text): readonly [string, string] => {
    const colon = text.indexOf(':');
    return [text.slice(0, Math.max(0, colon)).trim(), text.slice(colon + 1).trim()];
  });
  const errors = pairs.flatMap(([name]) => {
    // Never the value: it may be what should not have been written here.
    if (name === '') return [error('--header', 'is not a header: write it as `Name: value`')];
    return secret.test(name)
      ? [
          error(
            '--header',
            `${JSON.stringify(name)} is a secret, which others see on a command line: use --bearer-file or --basic-file`,
          ),
        ]
      : [];
  });
  if (errors.length > 0) return { kind: 'invalid', errors };
  return { kind: 'ok', value: pairs.length === 0 ? undefined : Object.fromEntries(pairs) };
};

/** The client's words with the names that its options have on the command line. */
export const inFlags = ({ bearerFile }: Pick<ClientFlags, 'bearerFile'>) => {
  const names: readonly (readonly [string, string])[] = [
    ['authorization.credentialsFile', bearerFile === undefined ? '--basic-file' : '--bearer-file'],
    ['tls.caFile', '--ca-file'],
    ['tls.certFile', '--cert-file'],
    ['tls.keyFile', '--key-file'],
    ['certFile', '--cert-file'],
    ['keyFile', '--key-file'],
    ['baseUrl', 'URL'],
    ['timeoutMs', '--timeout'],
    ['maxBodyBytes', '--max-body-size'],
  ];
  const renamed = (text: string): string => names.reduce((said, [name, flag]) => said.replaceAll(name, flag), text);
  return ({ path, message }: { readonly path: string; readonly message: string }): ConfigError =>
    error(
      path.startsWith('headers.') ? '--header' : renamed(path),
      renamed(message).replace('in --basic-file', 'with --bearer-file or --basic-file'),
    );
};
