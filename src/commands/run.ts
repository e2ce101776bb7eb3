// `snowgauge run`: the exporter.

import { Command } from 'commander';
import type { Loaded } from '../config/load.ts';
import type { ConfigError, Parsed } from '../yaml/parse.ts';
import type { CommandContext } from './context.ts';
import { refuse } from './exit-codes.ts';
import { listenOption } from './listen-option.ts';
import { logging } from './log-options.ts';
import { errorsOfRun, prepare, type RunOptions } from './prepare.ts';
import { keepLoaded } from './reload.ts';
import { type Serving, serve } from './serve.ts';

interface Options extends RunOptions {
  readonly stay?: boolean;
}

export const runCommand = (context: CommandContext): Command =>
  logging(
    new Command('run')
      .description('poll the configured nodes and serve their state on /metrics')
      .option('--config <file>', 'configuration (default: SNOWGAUGE_CONFIG, else /etc/snowgauge/snowgauge.yaml where it exists)')
      .addOption(listenOption())
      .option(
        '--stay',
        'with an invalid configuration: serve its errors, not ready, and start once it is valid (SNOWGAUGE_STAY)',
      ),
    context,
    run,
  );

const run = async (options: Options, context: CommandContext): Promise<void> => {
  const stay = staysOf(options, context.env);
  const refused = (source: string, errors: readonly ConfigError[]): void => refuse(context, errorsOfRun(source, errors));
  if (stay.kind === 'invalid') return refused('environment', stay.errors);
  let prepared = await prepare(options, context);
  for (;;) {
    const { loaded } = prepared;
    const serving = prepared.kind === 'ok' ? await serve(prepared.served, context) : prepared;
    if (loaded.kind === 'ok' && serving.kind === 'ok') return goOn(loaded, serving, context);
    const errors = serving.kind === 'invalid' ? serving.errors : [];
    if (!stay.value) return refused(loaded.source, errors);
    // Loaded for those alone who need it.
    const { standBy } = await import('./standby.ts');
    const stood = await standBy(options, { kind: 'invalid', loaded, errors }, context);
    if (stood.kind === 'stopped') return;
    if (stood.kind === 'unserved') return refused(loaded.source, stood.errors);
    prepared = stood;
  }
};

const staysOf = ({ stay }: Options, { SNOWGAUGE_STAY: text = '' }: CommandContext['env']): Parsed<boolean> => {
  if (stay === true) return { kind: 'ok', value: true };
  if (text === '' || text === 'false') return { kind: 'ok', value: false };
  if (text === 'true') return { kind: 'ok', value: true };
  return { kind: 'invalid', errors: [{ path: 'SNOWGAUGE_STAY', message: 'is neither true nor false' }] };
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
