// `snowgauge run`: the exporter.

import { Command } from 'commander';
import type { Loaded } from '../config/load.ts';
import type { ConfigError } from '../yaml/parse.ts';
import type { CommandContext } from './context.ts';
import { refuse } from './exit-codes.ts';
import { listenOption } from './listen-option.ts';
import { logOptions, readLog } from './log-options.ts';
import { errorsOfRun, prepare, type RunOptions } from './prepare.ts';
import { keepLoaded } from './reload.ts';
import { type Serving, serve } from './serve.ts';

interface Options extends RunOptions {
  readonly stay?: boolean;
}

export const runCommand = (context: CommandContext): Command => {
  const command = new Command('run')
    .description('poll the configured nodes and serve their state on /metrics')
    .option('--config <file>', 'configuration (default: SNOWGAUGE_CONFIG, else /etc/snowgauge/snowgauge.yaml where it exists)')
    .addOption(listenOption())
    .option('--stay', 'with an invalid configuration: serve its errors, not ready, and start once it is valid (SNOWGAUGE_STAY)')
    .action(async (options: Options) => {
      const log = readLog(command, context);
      const { stay, errors } = staysOf(options, context.env);
      const startErrors = [...log.errors, ...errors];
      if (stay || startErrors.length === 0) return await run({ ...options, stay, startErrors }, log.open());
      refuse(context, errorsOfRun('environment', startErrors));
    });
  for (const option of logOptions()) command.addOption(option);
  return command;
};

const run = async (options: Options, context: CommandContext): Promise<void> => {
  const refused = (source: string, errors: readonly ConfigError[]): void => refuse(context, errorsOfRun(source, errors));
  let prepared = await prepare(options, context);
  for (;;) {
    const { loaded } = prepared;
    const serving = prepared.kind === 'ok' ? await serve(prepared.served, context) : prepared;
    if (loaded.kind === 'ok' && serving.kind === 'ok') return goOn(loaded, serving, context);
    const errors = serving.kind === 'invalid' ? serving.errors : [];
    if (options.stay !== true) return refused(loaded.source, errors);
    // Loaded for those alone who need it.
    const { standBy } = await import('./standby.ts');
    const stood = await standBy(options, { kind: 'invalid', loaded, errors }, context);
    if (stood.kind === 'stopped') return;
    if (stood.kind === 'unserved') return refused(loaded.source, stood.errors);
    prepared = stood;
  }
};

/** Who misspells the variable means to stay: unset it would not be there. */
const staysOf = (
  { stay }: Options,
  { SNOWGAUGE_STAY: text = '' }: CommandContext['env'],
): { readonly stay: boolean; readonly errors: readonly ConfigError[] } => {
  if (['', 'true', 'false'].includes(text)) return { stay: stay === true || text === 'true', errors: [] };
  return { stay: true, errors: [{ path: 'SNOWGAUGE_STAY', message: 'is neither true nor false' }] };
};

const goOn = async (loaded: Loaded & { readonly kind: 'ok' }, serving: Serving, context: CommandContext): Promise<void> => {
  const { url, probesUrl } = serving;
  const targets = loaded.value.targets.length;
  context.log.info({ url, ...(probesUrl && { probesUrl }), targets, configuration: loaded.source }, 'serving');
  // A fault in either ends both.
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const finished = serving.finished.finally(() => stop.abort());
  await Promise.all([finished, keepLoaded({ loaded, serving }, { ...context, signal })]);
};
