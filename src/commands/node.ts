// `snowgauge node`: the embedded node, until it is asked to stop.

import { readFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import { openNode } from '../node/node.ts';
import { nodeFlags, type RawFlags, readNodeOptions } from '../node/options.ts';
import { parseScenario, quietScenario, type Scenario } from '../node/scenario.ts';
import { type ConfigError, formatErrors, type Parsed } from '../yaml/parse.ts';
import type { CommandContext } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { logOptions, withLog } from './log-options.ts';

export const nodeCommand = (context: CommandContext): Command => {
  const command = new Command('node')
    .description('serve the health and index interface of a simulated node, with faults from a scenario')
    // All errors are said at once, so nothing is left to commander's first.
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => run(command, context));
  for (const { name, value, help } of nodeFlags) command.addOption(new Option(`--${name} [${value}]`, help));
  for (const option of logOptions()) command.addOption(option);
  return command;
};

const run = async (command: Command, context: CommandContext): Promise<void> => {
  const read = readNodeOptions(flagsOf(command));
  const unknown = command.args.map(
    (argument): ConfigError => ({ path: argument, message: 'is not an option of this command: see snowgauge node --help' }),
  );
  const logging = withLog(command, context);
  const errors = [...[read, logging].flatMap((one) => (one.kind === 'invalid' ? one.errors : [])), ...unknown];
  const file = read.kind === 'ok' ? read.scenarioFile : undefined;
  const scenario = file === undefined ? ({ kind: 'ok', value: quietScenario } as const) : await readScenario(file);
  if (errors.length > 0) context.stderr(formatErrors('snowgauge node', errors));
  if (scenario.kind === 'invalid') context.stderr(formatErrors(file ?? '', scenario.errors));
  if (errors.length > 0 || scenario.kind === 'invalid' || read.kind === 'invalid' || logging.kind === 'invalid') {
    context.exit(exitCodes.usage);
    return;
  }
  await serve({ ...read, scenario: scenario.value }, logging.value);
};

const serve = async (
  { options, scenario }: { readonly options: Parameters<typeof openNode>[0]; readonly scenario: Scenario },
  { now, wallClock = now, log, signal, stderr, exit }: CommandContext,
): Promise<void> => {
  const start = await openNode(options, { now: wallClock, log, signal, scenario });
  if (start.kind === 'started') return start.node.closed;
  // A real node that refuses says so in its log and ends as if all were well.
  if (start.exitCode === 0) log.error({}, start.message);
  else stderr(`snowgauge node: ${start.message}\n`);
  exit(start.exitCode);
};

const flagsOf = (command: Command): RawFlags => {
  const given: Readonly<Record<string, string | boolean | undefined>> = command.opts();
  return Object.fromEntries(command.options.map((option) => [option.long?.slice(2) ?? '', given[option.attributeName()]]));
};

const readScenario = async (file: string): Promise<Parsed<Scenario>> => {
  try {
    return await parseScenario(await readFile(file, 'utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: 'invalid', errors: [{ path: '', message: `cannot be read: ${why}` }] };
  }
};
