// The options of the commands that ask one node about its health, or read a saved report: how to ask, and every error in it.

import { type Command, Option } from 'commander';
import { type ClientOptions, checkClientOptions } from '../client/options.ts';
import type { ConfigError, Parsed } from '../yaml/parse.ts';
import { type ClientFlags, clientFlags, filesOf, gathered, inFlags, readHeaders } from './client-flags.ts';
import { error, readDuration, readSize, valueOr } from './durations.ts';

/** As commander gives them: texts, so that every error is said at once. */
export interface AskFlags extends ClientFlags {
  readonly tag: readonly string[];
  readonly timeout: string;
  readonly maxBodySize: string;
  readonly maxAge?: string;
  readonly output: 'text' | 'json';
}

export const askOptions = (command: Command): Command =>
  clientFlags(
    command
      .option('--tag <tag>', 'only checks with this tag (a subnet id) and the global ones; repeatable', gathered, [])
      .option('--max-body-size <size>', 'maximum size of a response or file', '8MiB'),
  ).addOption(new Option('--output <format>', 'output format').choices(['text', 'json']).default('text'));

export const timeoutOption = (): Option => new Option('--timeout <duration>', 'timeout of a request').default('5s');

export const maxAgeOption = (): Option =>
  new Option(
    '--max-age <duration>',
    'maximum age of the last check run for a report to count (default: 3 × the health check frequency, only noted)',
  );

export interface Asking {
  readonly client: ClientOptions;
  readonly tags: readonly string[];
  readonly maxBodyBytes: number;
  /** Seconds; absent: nobody said. */
  readonly maxAge?: number;
}

const errorsIn = (...parsed: readonly Parsed<unknown>[]): readonly ConfigError[] =>
  parsed.flatMap((one) => (one.kind === 'invalid' ? one.errors : []));

const maxTags = 64;

/** `url` undefined: a saved report, which nobody is asked for. */
export const readAsking = (url: string | undefined, flags: AskFlags, version: string): Parsed<Asking> => {
  const timeout = readDuration('--timeout', flags.timeout, 0.001, 3600);
  const size = readSize('--max-body-size', flags.maxBodySize);
  const age = flags.maxAge === undefined ? undefined : readDuration('--max-age', flags.maxAge, 1, 86_400);
  const headers = readHeaders(flags.header);
  const client: ClientOptions = {
    baseUrl: url ?? 'http://127.0.0.1',
    timeoutMs: Math.ceil(valueOr(timeout, 5) * 1000),
    maxBodyBytes: valueOr(size, 1024),
    userAgent: `snowgauge/${version}`,
    ...filesOf(flags),
    ...(headers.kind === 'ok' && headers.value !== undefined && { headers: headers.value }),
  };
  const errors = [
    ...errorsIn(timeout, size, ...(age === undefined ? [] : [age]), headers),
    ...(flags.tag.length > maxTags ? [error('--tag', `is given ${flags.tag.length} times: at most ${maxTags}`)] : []),
  ];
  // Files are looked at only where there is somebody to ask.
  const all = errors.length > 0 || url === undefined ? errors : checkClientOptions(client).map(inFlags(flags));
  if (all.length > 0) return { kind: 'invalid', errors: all };
  return {
    kind: 'ok',
    value: {
      client,
      tags: flags.tag,
      maxBodyBytes: client.maxBodyBytes,
      ...(age?.kind === 'ok' && { maxAge: age.value }),
    },
  };
};
