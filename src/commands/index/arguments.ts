// The arguments that index commands share: which node, which index, how to ask it, and the numbers and ids of containers.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { maxUint64 } from '../../protocol/container.ts';
import { decodeId } from '../../protocol/id.ts';
import { type IndexName, indexNames } from '../../protocol/paths.ts';
import type { Parsed } from '../../yaml/parse.ts';
import { type ClientFlags, clientFlags } from '../client-flags.ts';
import { readDuration, readSize } from '../durations.ts';

export interface AskOptions extends ClientFlags {
  /** Milliseconds. */
  readonly timeout: number;
  readonly maxBodySize: number;
  readonly tries: number;
  readonly output: 'text' | 'json';
}

export interface PaceOptions {
  readonly concurrency: number;
  readonly rate?: number;
}

export interface FromTo {
  readonly from: bigint;
  readonly to?: bigint;
}

export type WalkOptions = AskOptions & PaceOptions & FromTo;

/** `P/block`, or its whole path. */
const indexName = (text: string): IndexName => {
  const found = indexNames.find((name) => text.replace(/^\/?ext\/index\//, '') === name);
  if (found === undefined) throw new InvalidArgumentError(`It is one of ${indexNames.join(', ')}.`);
  return found;
};

export const idArgument = (text: string): string => {
  if (decodeId(text) === undefined) throw new InvalidArgumentError('It is no id: 32 bytes in cb58, with the checksum.');
  return text;
};

export const uint64Argument = (text: string): bigint => {
  const value = /^\d{1,20}$/.test(text) ? BigInt(text) : -1n;
  if (value < 0n || value > maxUint64) throw new InvalidArgumentError(`It is a whole number from 0 to ${maxUint64}.`);
  return value;
};

export const wholeArgument =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most)) throw new InvalidArgumentError(`It is a whole number from ${least} to ${most}.`);
    return value;
  };

const rateArgument = (text: string): number => {
  const value = /^\d{1,7}(?:\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  if (!(value > 0 && value <= 1e6)) throw new InvalidArgumentError('It is a number of requests per second, above 0.');
  return value;
};

const valued = (parsed: Parsed<number>): number => {
  if (parsed.kind === 'invalid') throw new InvalidArgumentError(parsed.errors.map(({ message }) => message).join(', '));
  return parsed.value;
};

/** Milliseconds. */
export const millisecondsArgument = (text: string): number => Math.round(valued(readDuration('', text, 0.001, 86_400)) * 1000);

const sizeArgument = (text: string): number => valued(readSize('', text));

/** URL and PATH, and how to ask: the same for every index command. A walk is worth more tries than a single question. */
export const asking = (command: Command, tries = 3): Command =>
  clientFlags(
    command
      .argument('<url>', 'the node, such as http://127.0.0.1:9650')
      .argument('<path>', `the index: ${indexNames.join(', ')}`, indexName)
      .addOption(
        withDefault(new Option('--timeout <duration>', 'timeout of a request').argParser(millisecondsArgument), 30_000, '30s'),
      )
      .addOption(
        withDefault(
          new Option('--max-body-size <size>', 'maximum size of a response; larger ranges are split').argParser(sizeArgument),
          16 * 2 ** 20,
          '16MiB',
        ),
      ),
  )
    .option('--tries <n>', 'maximum attempts of a request', wholeArgument(1, 1000), tries)
    .addOption(new Option('--output <format>', 'output format').choices(['text', 'json']).default('text'));

export const withDefault = (option: Option, value: unknown, said: string): Option => option.default(value, said);

/** At most so many questions, for every connection that the client may have. */
const maxConcurrent = 16;

const paced = (command: Command): Command =>
  asking(command, 8)
    .option('--concurrency <n>', 'maximum concurrent requests', wholeArgument(1, maxConcurrent), 3)
    .option('--rate <n>', 'maximum requests per second', rateArgument);

export const fromTo = (command: Command): Command =>
  paced(command)
    .addOption(withDefault(new Option('--from <n>', 'the first number').argParser(uint64Argument), 0n, '0'))
    .option('--to <n>', 'the last number; without it, the newest', uint64Argument);
