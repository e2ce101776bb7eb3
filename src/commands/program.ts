// The program as a table of commands. Only the requested command is loaded, so that the sidecar does not load the others.

import { Command, CommanderError, Help } from 'commander';
import type { CommandContext } from './context.ts';
import { exitCodes } from './exit-codes.ts';

interface Entry {
  readonly description: string;
  readonly load: (context: CommandContext) => Promise<Command>;
}

/** In the order of the help text. */
const commands: ReadonlyMap<string, Entry> = new Map(
  Object.entries<Entry>({
    run: {
      description: 'poll the configured nodes and serve their state on /metrics',
      load: async (context) => (await import('./run.ts')).runCommand(context),
    },
    node: {
      description: 'serve the health, index, info and P-Chain interfaces of a simulated node, with faults from a scenario',
      load: async (context) => (await import('./node.ts')).nodeCommand(context),
    },
    demo: {
      description: 'run an embedded node with two subnets and a fault every minute, and an exporter that watches it',
      load: async (context) => (await import('./demo.ts')).demoCommand(context),
    },
    drill: {
      description: 'inject a fault into an embedded node and verify the alert with a real Prometheus and Alertmanager',
      load: async (context) => (await import('./drill.ts')).drillCommand(context),
    },
    rules: {
      description: 'print the alerts and recording rules for Prometheus, documented in docs/alerts.md',
      load: async (context) => (await import('./rules.ts')).rulesCommand(context),
    },
    check: {
      description: 'check whether a node or a saved report is healthy and ready, for scripts',
      load: async (context) => (await import('./check.ts')).checkCommand(context),
    },
    wait: {
      description: 'wait until a node is ready, healthy or live',
      load: async (context) => (await import('./wait.ts')).waitCommand(context),
    },
    explain: {
      description: 'explain a health report: failing checks, longest failing first, with reason, duration and remedy',
      load: async (context) => (await import('./explain.ts')).explainCommand(context),
    },
    diff: {
      description: 'compare two reports: checks that appeared, vanished, failed or recovered, other reasons, and numbers',
      load: async (context) => (await import('./diff.ts')).diffCommand(context),
    },
    debug: {
      description: 'trace one poll of a node: addresses, connections, TLS, each request and how its response was parsed',
      load: async (context) => (await import('./debug.ts')).debugCommand(context),
    },
    index: {
      description: 'read containers from an index of a node',
      load: async (context) => (await import('./index.ts')).indexCommand(context),
    },
    top: {
      description: 'show the targets of a running snowgauge, worst first, and refresh them',
      load: async (context) => (await import('./top.ts')).topCommand(context),
    },
    'safe-to-restart': {
      description: 'check whether a validator may be restarted now, given its reward and the other validators of its subnets',
      load: async (context) => (await import('./safe-to-restart.ts')).safeToRestartCommand(context),
    },
    maintenance: {
      description: 'start, end or list maintenance windows of a running snowgauge',
      load: async (context) => (await import('./maintenance.ts')).maintenanceCommand(context),
    },
    config: {
      description: 'check a configuration file, or print its JSON Schema',
      load: async (context) => (await import('./config.ts')).configCommand(context),
    },
  }),
);

/** Parses the arguments and runs the command. Resolves at its end. Invalid arguments set exit code 2. */
export const runProgram = async (given: readonly string[], context: CommandContext): Promise<void> => {
  const [first, ...asked] = given;
  // Commander's own `help` only knows top-level commands, and does not report an unknown one.
  const isKnown = commands.has(asked[0] ?? '');
  const argv = first === 'help' && asked.length > 0 ? [...asked, ...(isKnown ? ['--help'] : [])] : given;
  const named = argv.find((word) => !word.startsWith('-') && word !== 'help');
  const program = new Command('snowgauge')
    .description('Prometheus exporter and Kubernetes sidecar for the health and index interface of an Avalanche-style node')
    .version(context.version)
    .showHelpAfterError();
  // For the list of commands, and for an unknown command, names and descriptions suffice.
  for (const [name, { description, load }] of commands)
    program.addCommand((name === named ? await load(context) : new Command(name)).description(description));
  try {
    await withErrors(program, context, 'snowgauge').parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    context.exit(error.exitCode === 0 ? exitCodes.ok : exitCodes.usage);
  }
};

/** Makes argument errors of all commands begin with the command, and throw instead of exiting. */
const withErrors = (command: Command, context: CommandContext, name: string): Command => {
  command.exitOverride().configureOutput({
    writeOut: context.stdout,
    writeErr: context.stderr,
    outputError: (text, write) =>
      write(text.replace(/^error: (?:command-argument value (?=.* is invalid for argument))?/, `${name}: `)),
  });
  // Hides the empty default of repeatable options, which commander would show as JSON.
  command.configureHelp({ optionDescription: (option) => new Help().optionDescription(option).replace(' (default: [])', '') });
  for (const sub of command.commands) withErrors(sub, context, `${name} ${sub.name()}`);
  return command;
};
