// index get, number, accepted and range: one question, one answer.

import { Command, Option } from 'commander';
import { type Container, maxFetchedByRange } from '../../protocol/container.ts';
import type { IndexName } from '../../protocol/paths.ts';
import type { AskOutcome, IndexQuestion } from '../../walk/asking.ts';
import { lineOf } from '../../walk/line.ts';
import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { type AskOptions, asking, idArgument, uint64Argument, wholeArgument } from './arguments.ts';
import { inSession, sayFailure } from './session.ts';

interface Which {
  readonly id?: string;
  readonly index?: bigint;
  readonly last?: boolean;
}

interface Encoded extends AskOptions {
  readonly encoding: string;
}

/** The interface has `hex` alone; a real node has these three. */
const encoding = (): Option =>
  new Option('--encoding <encoding>', 'encoding of the bytes; the embedded node supports hex only')
    .choices(['hex', 'hexc', 'hexnc'])
    .default('hex');

interface Question<T> {
  readonly command: string;
  readonly url: string;
  readonly path: IndexName;
  readonly options: AskOptions;
  readonly ask: IndexQuestion<T>;
  /** Gives the exit code. */
  readonly print: (value: T) => number;
}

const one = <T>(context: CommandContext, { command, url, path, options, ask, print }: Question<T>): Promise<void> =>
  inSession(context, { url, index: path, options, command }, async ({ asking: { ask: askWith } }) => {
    const asked: AskOutcome<T> = await askWith(ask);
    return asked.kind === 'ok' ? print(asked.value) : sayFailure(context, path, asked.failure);
  });

export const getCommand = (context: CommandContext): Command =>
  asking(new Command('get').description('print one container'))
    .addOption(new Option('--id <id>', 'by its id').argParser(idArgument).conflicts(['index', 'last']))
    .addOption(
      new Option('--index <n>', 'by its index; 0 is the first accepted container').argParser(uint64Argument).conflicts('last'),
    )
    .option('--last', 'the last accepted container')
    .addOption(encoding())
    .action((url: string, path: IndexName, options: Encoded & Which, command: Command) => {
      if (options.id === undefined && options.index === undefined && options.last !== true)
        command.error('error: required: one of --id, --index or --last', { exitCode: exitCodes.usage });
      const print = (container: Container): number => {
        context.stdout(options.output === 'json' ? lineOf(container) : tableOf(container));
        return exitCodes.ok;
      };
      return one(context, { command: 'get', url, path, options, ask: questionFor(options), print });
    });

const questionFor =
  ({ id, index, encoding }: Encoded & Which): IndexQuestion<Container> =>
  (client, name, signal) => {
    if (id !== undefined) return client.indexRpc(name, 'index.getContainerByID', { id, encoding }, signal);
    if (index !== undefined) return client.indexRpc(name, 'index.getContainerByIndex', { index, encoding }, signal);
    return client.indexRpc(name, 'index.getLastAccepted', { encoding }, signal);
  };

const tableOf = ({ index, id, timestamp, encoding, bytes }: Container): string =>
  Object.entries({ index: `${index}`, id, timestamp, encoding, bytes })
    .map(([name, value]) => `${name.padEnd(10)}${value}\n`)
    .join('');

export const numberCommand = (context: CommandContext): Command =>
  asking(new Command('number').description('print the index of a container; exit code 1 if not found'))
    .argument('<id>', 'its id', idArgument)
    .action((url: string, path: IndexName, id: string, options: AskOptions) =>
      one(context, {
        command: 'number',
        url,
        path,
        options,
        ask: (client, name, signal) => client.indexRpc(name, 'index.getIndex', { id }, signal),
        print: ({ index }) => {
          context.stdout(options.output === 'json' ? `${JSON.stringify({ index: `${index}` })}\n` : `${index}\n`);
          return exitCodes.ok;
        },
      }),
    );

export const acceptedCommand = (context: CommandContext): Command =>
  asking(new Command('accepted').description('check whether a container is in the index; exit code 1 if not'))
    .argument('<id>', 'its id', idArgument)
    .action((url: string, path: IndexName, id: string, options: AskOptions) =>
      one(context, {
        command: 'accepted',
        url,
        path,
        options,
        ask: (client, name, signal) => client.indexRpc(name, 'index.isAccepted', { id }, signal),
        print: ({ isAccepted }) => {
          const text = isAccepted ? 'accepted\n' : 'not accepted\n';
          context.stdout(options.output === 'json' ? `${JSON.stringify({ isAccepted })}\n` : text);
          return isAccepted ? exitCodes.ok : exitCodes.no;
        },
      }),
    );

export const rangeCommand = (context: CommandContext): Command =>
  asking(new Command('range').description('print the containers of a range, read with one request'))
    .argument('<start>', 'the first number', uint64Argument)
    .argument('<count>', `how many, at most ${maxFetchedByRange}`, wholeArgument(0, maxFetchedByRange))
    .addOption(encoding())
    .action((url: string, path: IndexName, startIndex: bigint, count: number, options: Encoded) =>
      one(context, {
        command: 'range',
        url,
        path,
        options,
        ask: (client, name, signal) =>
          client.indexRpc(
            name,
            'index.getContainerRange',
            { startIndex, numToFetch: BigInt(count), encoding: options.encoding },
            signal,
          ),
        print: (containers) => {
          const text = containers.map((container) =>
            options.output === 'json' ? lineOf(container) : `${container.index} ${container.timestamp} ${container.id}\n`,
          );
          context.stdout(text.join(''));
          return exitCodes.ok;
        },
      }),
    );
