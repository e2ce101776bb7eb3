// `snowgauge run`: the exporter.

import { Command } from 'commander';
import { createEmptiedCheck } from '../config/watch.ts';
import type { ConfigError } from '../yaml/parse.ts';
import type { CommandContext } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { listenOption } from './listen-option.ts';
import { addLogOptions, withLog } from './log-options.ts';
import { errorsOfRun, prepare, type Ready, type RunOptions } from './prepare.ts';
import { keepLoaded } from './reload.ts';
import { type Serving, serve } from './serve.ts';
import { addShardOptions, readShard, type ShardOptions } from './shard-flags.ts';
import { webConfigFile, webConfigOption } from './web-config.ts';

interface Options extends RunOptions, ShardOptions {
  readonly stay?: boolean;
}

const exits = `
Exit codes: 0 stopped, 2 usage error, an invalid configuration, a port that cannot be used, or a stateDir that another process uses,
3 with --pod: the number of shards did not become known within a minute.`;

export const runCommand = (context: CommandContext): Command => {
  const command = new Command('run')
    .option('--config <file>', 'configuration (default: SNOWGAUGE_CONFIG, else /etc/snowgauge/snowgauge.yaml if it exists)')
    .addOption(listenOption('listen of the configuration, else 0.0.0.0:9652'))
    .addOption(webConfigOption())
    .option('--stay', 'with an invalid configuration: serve its errors, not ready, and start once it is valid (SNOWGAUGE_STAY)')
    .addHelpText('after', exits);
  return addLogOptions(addShardOptions(command)).action(async (options: Options) => {
    const startErrors: ConfigError[] = [];
    const stay = staysOf(options, context.env, startErrors);
    const logged = withLog(command, context, startErrors, stay);
    const webConfig = webConfigFile(options, context.env);
    const shardSetting = readShard(options, context.env, startErrors);
    const given = { ...options, stay, startErrors, shardSetting, ...(webConfig !== undefined && { webConfig }) };
    if (stay || startErrors.length === 0) return await run(given, logged);
    refused(context, 'environment', startErrors);
  });
};

/** If the variable is misspelled, it stays: an operator who does not want that would not set it. */
const staysOf = ({ stay }: Options, { SNOWGAUGE_STAY: text = '' }: CommandContext['env'], errors: ConfigError[]): boolean => {
  if (['', 'true', 'false'].includes(text)) return stay === true || text === 'true';
  errors.push({ path: 'SNOWGAUGE_STAY', message: 'must be true or false' });
  return true;
};

const refused = ({ stderr, exit }: CommandContext, source: string, errors: readonly ConfigError[]): void => {
  stderr(errorsOfRun(source, errors));
  exit(exitCodes.usage);
};

const run = async (given: Options, context: CommandContext): Promise<void> => {
  const options = { ...given, isEmptied: { config: createEmptiedCheck(), web: createEmptiedCheck() } };
  let prepared = await prepare(options, context);
  for (;;) {
    const { loaded } = prepared;
    const serving = prepared.kind === 'ok' ? await serve(prepared.served, context) : prepared;
    if (loaded.kind === 'ok' && serving.kind === 'ok') return keepServing(loaded, serving, context);
    const errors = serving.kind === 'invalid' ? serving.errors : [];
    // A configuration from a pipe cannot be corrected.
    if (options.stay !== true || loaded.isPiped === true) return refused(context, loaded.source, errors);
    // Imported only if needed.
    const { standBy } = await import('./standby.ts');
    const next = await standBy(options, { kind: 'invalid', loaded, errors }, context);
    if (next.kind === 'stopped') return;
    if (next.kind === 'unserved') return refused(context, loaded.source, next.errors);
    prepared = next;
  }
};

const keepServing = async (loaded: Ready['loaded'], serving: Serving, context: CommandContext): Promise<void> => {
  const { url, probesUrl } = serving;
  // With several shards, only the targets of this one, if the number of shards is known.
  const targets = serving.watched();
  context.log.info({ url, ...(probesUrl && { probesUrl }), targets, configuration: loaded.source }, 'serving');
  // If either fails, both end.
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const finished = serving.finished.finally(() => stop.abort());
  await Promise.all([finished, keepLoaded({ loaded, serving }, { ...context, signal })]);
  if (serving.fault() !== undefined) context.exit(exitCodes.unknown);
};
