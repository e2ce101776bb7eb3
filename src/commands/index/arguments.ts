// The arguments that index commands share: which node, which index, how to ask it, and the numbers and ids of containers.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { maxUint64 } from '../../protocol/container.ts';
import { decodeId } from '../../protocol/id.ts';
import { type IndexName, indexNames } from '../../protocol/paths.ts';
import { type ClientFlags, clientFlags, timeoutOption } from '../client-flags.ts';

export interface AskOptions extends ClientFlags {
  readonly tries: number;
}

export interface WalkOptions extends AskOptions {
  readonly concurrency: number;
  readonly rate?: number;
  readonly from: bigint;
  readonly to?: bigint;
}

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
  (min: number, max: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw new InvalidArgumentError(`It is a whole number from ${min} to ${max}.`);
    return value;
  };

const rateArgument = (text: string): number => {
  const value = /^\d{1,7}(?:\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  if (!(value > 0 && value <= 1e6)) throw new InvalidArgumentError('It is a number of requests per second, above 0.');
  return value;
};

/** URL and PATH, and how to ask: the same for every index command. A walk is worth more tries than a single request. */
export const asking = (command: Command, tries = 3): Command =>
  clientFlags(
    command
      .argument('<url>', 'the node, such as http://127.0.0.1:9650')
      .argument('<path>', `the index: ${indexNames.join(', ')}`, indexName)
      .addOption(timeoutOption('30s'))
      .option('--max-body-size <size>', 'maximum size of a response; larger ranges are split', '16MiB'),
  ).option('--tries <n>', 'maximum attempts of a request', wholeArgument(1, 1000), tries);

/** At most so many requests, for every connection that the client may have. */
const maxConcurrency = 16;

export const fromTo = (command: Command): Command =>
  asking(command, 8)
    .option('--concurrency <n>', 'maximum concurrent requests', wholeArgument(1, maxConcurrency), 3)
    .option('--rate <n>', 'maximum requests per second', rateArgument)
    .addOption(new Option('--from <n>', 'the first number').argParser(uint64Argument).default(0n, '0'))
    .option('--to <n>', 'the last number; without it, the newest', uint64Argument);
