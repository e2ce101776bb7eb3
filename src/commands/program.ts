// The program as a table of commands. Only the one that is asked for is loaded: the sidecar pays for none of the others.

import { Command, CommanderError, Help } from 'commander';
import type { CommandContext } from './context.ts';
import { exitCodes } from './exit-codes.ts';

type Load = (context: CommandContext) => Promise<Command>;

/** In the order of the help. */
const commands: ReadonlyMap<string, Load> = new Map<string, Load>([
  ['run', async (context) => (await import('./run.ts')).runCommand(context)],
  ['node', async (context) => (await import('./node.ts')).nodeCommand(context)],
  ['demo', async (context) => (await import('./demo.ts')).demoCommand(context)],
  ['drill', async (context) => (await import('./drill.ts')).drillCommand(context)],
  ['rules', async (context) => (await import('./rules.ts')).rulesCommand(context)],
  ['check', async (context) => (await import('./check.ts')).checkCommand(context)],
  ['wait', async (context) => (await import('./wait.ts')).waitCommand(context)],
  ['explain', async (context) => (await import('./explain.ts')).explainCommand(context)],
  ['diff', async (context) => (await import('./diff.ts')).diffCommand(context)],
  ['debug', async (context) => (await import('./debug.ts')).debugCommand(context)],
  ['index', async (context) => (await import('./index.ts')).indexCommand(context)],
  ['top', async (context) => (await import('./top.ts')).topCommand(context)],
  ['safe-to-restart', async (context) => (await import('./safe-to-restart.ts')).safeToRestartCommand(context)],
  ['maintenance', async (context) => (await import('./maintenance.ts')).maintenanceCommand(context)],
  ['config', async (context) => (await import('./config.ts')).configCommand(context)],
]);

/** Reads the arguments and runs what they say. Resolves when it is done; an error in them is exit code 2. */
export const runProgram = async (given: readonly string[], context: CommandContext): Promise<void> => {
  const [first, ...asked] = given;
  // Commander's own `help` knows the commands of the top alone, and does not say that there is no such one.
  const isKnown = commands.has(asked[0] ?? '');
  const argv = first === 'help' && asked.length > 0 ? [...asked, ...(isKnown ? ['--help'] : [])] : given;
  const named = commands.get(argv[0] ?? '');
  const program = new Command('snowgauge')
    .description('Prometheus exporter and Kubernetes sidecar for the health and index interface of an Avalanche-style node')
    .version(context.version)
    .showHelpAfterError();
  for (const load of named === undefined ? commands.values() : [named]) program.addCommand(await load(context));
  try {
    await withErrors(program, context, 'snowgauge').parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    context.exit(error.exitCode === 0 ? exitCodes.ok : exitCodes.usage);
  }
};

/** An error in the arguments of any command begins with the command, and is thrown instead of ending the process. */
const withErrors = (command: Command, context: CommandContext, name: string): Command => {
  command.exitOverride().configureOutput({
    writeOut: context.stdout,
    writeErr: context.stderr,
    outputError: (text, write) => write(text.replace(/^error: /, `${name}: `)),
  });
  // What may be repeated begins with none: commander would show that as JSON.
  command.configureHelp({ optionDescription: (option) => new Help().optionDescription(option).replace(' (default: [])', '') });
  for (const sub of command.commands) withErrors(sub, context, `${name} ${sub.name()}`);
  return command;
};
