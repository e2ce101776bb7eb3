// `index get`, `number`, `accepted` and `range`: one request and its response.

import { Command, Option } from 'commander';
import { type Container, maxFetchedByRange } from '../../protocol/container.ts';
import type { IndexName } from '../../protocol/paths.ts';
import { printable } from '../../text.ts';
import type { IndexQuestion } from '../../walk/asking.ts';
import { lineOf } from '../../walk/line.ts';
import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { asking, idArgument, type RetryFlags, uint64Argument, wholeArgument } from './arguments.ts';
import { inSession, sayFailure, type Work } from './session.ts';

interface Question<T> {
  readonly ask: IndexQuestion<T>;
  readonly text: (value: T) => string;
  /** One or more lines of JSON. */
  readonly json: (value: T) => string;
  /** Whether the response means no. */
  readonly isNo?: (value: T) => boolean;
}

const answer = <T>(context: CommandContext, work: Work, { ask, text, json, isNo }: Question<T>): Promise<void> =>
  inSession(context, work, async (session) => {
    const asked = await session.asking.ask(ask);
    if (asked.kind === 'failed') return sayFailure(context, work.index, asked.failure);
    context.stdout(work.options.output === 'json' ? json(asked.value) : text(asked.value));
    return isNo?.(asked.value) === true ? exitCodes.no : exitCodes.ok;
  });

interface EncodedOptions extends RetryFlags {
  readonly encoding: string;
}

/** The interface documents only `hex`. A real node accepts these three. */
const encodingOption = (): Option =>
  new Option('--encoding <encoding>', 'encoding of the bytes; the documented interface has hex only')
    .choices(['hex', 'hexc', 'hexnc'])
    .default('hex');

interface GetOptions extends EncodedOptions {
  readonly id?: string;
  readonly index?: bigint;
  readonly last?: boolean;
}

export const getCommand = (context: CommandContext): Command =>
  asking(new Command('get').description('print one container'))
    .addOption(new Option('--id <id>', 'by its id').argParser(idArgument).conflicts(['index', 'last']))
    .addOption(
      new Option('--index <n>', 'by its index; 0 is the first accepted container').argParser(uint64Argument).conflicts('last'),
    )
    .option('--last', 'the last accepted container')
    .addOption(encodingOption())
    .action((url: string, index: IndexName, options: GetOptions, command: Command) => {
      if (options.id === undefined && options.index === undefined && options.last !== true)
        command.error('error: required: one of --id, --index or --last', { exitCode: exitCodes.usage });
      const ask = containerQuestion(options);
      return answer(context, { command: 'get', url, index, options }, { ask, text: tableOf, json: lineOf });
    });

const containerQuestion =
  ({ id, index, encoding }: GetOptions): IndexQuestion<Container> =>
  (client, name, signal) => {
    if (id !== undefined) return client.indexRpc(name, 'index.getContainerByID', { id, encoding }, signal);
    if (index !== undefined) return client.indexRpc(name, 'index.getContainerByIndex', { index, encoding }, signal);
    return client.indexRpc(name, 'index.getLastAccepted', { encoding }, signal);
  };

const tableOf = ({ index, id, timestamp, encoding, bytes }: Container): string =>
  Object.entries({ index: `${index}`, id, timestamp, encoding, bytes })
    .map(([name, value]) => `${name.padEnd(10)}${printable(value, value.length)}\n`)
    .join('');

export const numberCommand = (context: CommandContext): Command =>
  asking(new Command('number').description('print the index of a container; exit code 1 if not found'))
    .argument('<id>', 'its id', idArgument)
    .action((url: string, index: IndexName, id: string, options: RetryFlags) =>
      answer(
        context,
        { command: 'number', url, index, options },
        {
          ask: (client, name, signal) => client.indexRpc(name, 'index.getIndex', { id }, signal),
          text: (found) => `${found.index}\n`,
          json: (found) => `${JSON.stringify({ index: `${found.index}` })}\n`,
        },
      ),
    );

export const acceptedCommand = (context: CommandContext): Command =>
  asking(new Command('accepted').description('check whether a container is in the index; exit code 1 if not'))
    .argument('<id>', 'its id', idArgument)
    .action((url: string, index: IndexName, id: string, options: RetryFlags) =>
      answer(
        context,
        { command: 'accepted', url, index, options },
        {
          ask: (client, name, signal) => client.indexRpc(name, 'index.isAccepted', { id }, signal),
          text: ({ isAccepted }) => (isAccepted ? 'accepted\n' : 'not accepted\n'),
          json: ({ isAccepted }) => `${JSON.stringify({ isAccepted })}\n`,
          isNo: ({ isAccepted }) => !isAccepted,
        },
      ),
    );

export const rangeCommand = (context: CommandContext): Command =>
  asking(new Command('range').description('print the containers of a range, read with one request'))
    .argument('<start>', 'first index', uint64Argument)
    .argument('<count>', `how many, at most ${maxFetchedByRange}`, wholeArgument(0, maxFetchedByRange))
    .addOption(encodingOption())
    .action((url: string, index: IndexName, startIndex: bigint, count: number, options: EncodedOptions) => {
      const range = { startIndex, numToFetch: BigInt(count), encoding: options.encoding };
      return answer(
        context,
        { command: 'range', url, index, options },
        {
          ask: (client, name, signal) => client.indexRpc(name, 'index.getContainerRange', range, signal),
          text: (found) => found.map(({ index: number, timestamp, id }) => `${number} ${timestamp} ${printable(id)}\n`).join(''),
          json: (found) => found.map(lineOf).join(''),
        },
      );
    });
