// Shared arguments of the index commands: node, index, request options, and numbers and IDs of containers.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { maxUint64 } from '../../protocol/container.ts';
import { decodeId } from '../../protocol/id.ts';
import { indexNames } from '../../protocol/paths.ts';
import { type ClientFlags, clientFlags, timeoutOption } from '../client-flags.ts';

export interface RetryFlags extends ClientFlags {
  readonly tries: number;
}

export interface WalkFlags extends RetryFlags {
  readonly concurrency: number;
  readonly rate?: number;
  readonly from: bigint;
  readonly to?: bigint;
}

/** A parser for commander, which prints the error of an invalid argument itself. */
const parser =
  <T>(wanted: string, parse: (text: string) => T | undefined) =>
  (text: string): T => {
    const value = parse(text);
    if (value === undefined) throw new InvalidArgumentError(`It must be ${wanted}.`);
    return value;
  };

/** `P/block`, or its full path. */
const indexName = parser(`one of ${indexNames.join(', ')}`, (text) =>
  indexNames.find((name) => text.replace(/^\/?ext\/index\//, '') === name),
);

export const idArgument = parser('an id: 32 bytes in cb58, with the checksum', (text) =>
  decodeId(text) === undefined ? undefined : text,
);

export const uint64Argument = parser(`an integer from 0 to ${maxUint64}`, (text) =>
  /^\d{1,20}$/.test(text) && BigInt(text) <= maxUint64 ? BigInt(text) : undefined,
);

export const wholeArgument = (min: number, max: number) =>
  parser(`an integer from ${min} to ${max}`, (text) =>
    /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined,
  );

/** Rejects an empty text, which may come from an unset shell variable. */
export const fileArgument = parser('the name of a file, or - for stdout', (text) => (text === '' ? undefined : text));

const rateArgument = parser('a number of requests per second, above 0', (text) =>
  /^\d{1,6}(?:\.\d{1,6})?$/.test(text) && Number(text) > 0 ? Number(text) : undefined,
);

/** URL, PATH and request options of every index command. A walk gets more tries than a single request. */
export const asking = (command: Command, tries = 3): Command =>
  clientFlags(
    command
      .argument('<url>', 'the node, such as http://127.0.0.1:9650')
      .argument('<path>', `the index: ${indexNames.join(', ')}`, indexName)
      .addOption(timeoutOption('30s'))
      .option('--max-body-size <size>', 'maximum size of a response; larger ranges are split', '16MiB'),
  ).option('--tries <n>', 'maximum attempts of a request', wholeArgument(1, 1000), tries);

/** Maximum concurrent requests, each with a connection of its own. */
const maxConcurrency = 16;

export const fromTo = (command: Command): Command =>
  asking(command, 8)
    .option('--concurrency <n>', 'maximum concurrent requests', wholeArgument(1, maxConcurrency), 3)
    .option('--rate <n>', 'maximum requests per second', rateArgument)
    .addOption(new Option('--from <n>', 'first index').argParser(uint64Argument).default(0n, '0'))
    .option('--to <n>', 'last index (default: the newest)', uint64Argument);
