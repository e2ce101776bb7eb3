// `snowgauge node`: runs the embedded node until it is asked to stop.

import { Command, Option } from 'commander';
import { limitsText } from '../node/limits.ts';
import { openNode } from '../node/node.ts';
import { nodeFlags, type RawFlags, readNodeOptions } from '../node/options.ts';
import { parseScenario, quietScenario, type Scenario } from '../node/scenario.ts';
import type { ConfigError, Parsed } from '../yaml/parse.ts';
import { nearest } from '../yaml/suggest.ts';
import { refuse } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { addLogOptions, withLog } from './log-options.ts';
import { readGiven } from './read-text.ts';

const exits = `
Exit codes: 0 stopped, 1 an index would be incomplete and --index-allow-incomplete is not set (0 with --dialect avalanchego), 2 usage
error, or a port or data directory that cannot be used.`;

export const nodeCommand = (context: CommandContext): Command => {
  const command = new Command('node')
    // Unknown options are reported with all other errors, not by commander, which only reports the first.
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText('after', limitsText)
    .addHelpText('after', exits)
    .action(() => run(command, context));
  for (const { name, value, help, isList } of nodeFlags) {
    const option = new Option(`--${name} [${value}]`, help);
    command.addOption(isList === true ? option.argParser(withEarlier) : option);
  }
  return addLogOptions(command);
};

const withEarlier = (given: string, earlier: unknown): string => (typeof earlier === 'string' ? `${earlier},${given}` : given);

const run = async (command: Command, context: CommandContext): Promise<void> => {
  const read = readNodeOptions(flagsOf(command));
  const errors: ConfigError[] = read.kind === 'invalid' ? [...read.errors] : [];
  const { now, wallClock = now, log, signal, stderr, exit } = withLog(command, context, errors);
  for (const argument of command.args) errors.push({ path: argument, message: notAnOption(argument, command) });
  if (read.kind === 'invalid' || errors.length > 0) return refuse(context, 'snowgauge node', errors);
  const { options, scenarioFile = '' } = read;
  const scenario = await readScenario(scenarioFile, signal);
  if (scenario.kind === 'invalid') return refuse(context, `snowgauge node: ${scenarioFile}`, scenario.errors);
  const start = await openNode(options, { now: wallClock, steadyNow: now, log, signal, scenario: scenario.value });
  if (start.kind === 'started') return start.node.closed;
  // Like a real node, which logs why it refuses to run, and exits with code 0.
  if (start.exitCode === 0) log.error({}, start.message);
  else stderr(`snowgauge node: ${start.message}\n`);
  exit(start.exitCode);
};

const notAnOption = (argument: string, { options }: Command): string => {
  const [flag = ''] = argument.split('=');
  const meant = flag.startsWith('-')
    ? nearest(
        flag,
        options.flatMap(({ long }) => long ?? []),
      )
    : undefined;
  return `is not an option of this command: ${meant === undefined ? 'see snowgauge node --help' : `did you mean ${meant}?`}`;
};

const flagsOf = (command: Command): RawFlags => {
  const given: Readonly<Record<string, string | boolean | undefined>> = command.opts();
  return Object.fromEntries(command.options.map((option) => [option.long?.slice(2) ?? '', given[option.attributeName()]]));
};

/** Without a file, a scenario without events. */
const readScenario = async (file: string, signal: AbortSignal): Promise<Parsed<Scenario>> => {
  if (file === '') return { kind: 'ok', value: quietScenario };
  const read = await readGiven(file, signal);
  if (read.kind === 'ok') return parseScenario(read.text);
  return { kind: 'invalid', errors: [{ path: '', message: `cannot be read: ${read.reason}` }] };
};
