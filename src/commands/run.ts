// `snowgauge run`: the exporter.

import { Command } from 'commander';
import { formatMistakes } from '../yaml/parse.ts';
import { readConfig } from './config.ts';
import type { CommandContext } from './context.ts';
import { listenOption, readListen } from './listen-option.ts';
import { podLabelsOf } from './pod-labels.ts';
import { keepLoaded } from './reload.ts';
import { serve } from './serve.ts';

interface Options {
  readonly config?: string;
  readonly listen?: string;
}

export const runCommand = (context: CommandContext): Command =>
  new Command('run')
    .description('watch the configured nodes and serve what is known of them on /metrics')
    .option('--config <file>', 'configuration (default: SNOWGAUGE_CONFIG, else /etc/snowgauge/snowgauge.yaml where it exists)')
    .addOption(listenOption())
    .action((options: Options) => run(options, context));

const run = async (options: Options, context: CommandContext): Promise<void> => {
  const { log, stderr, exit } = context;
  const loaded = await readConfig(options.config, context);
  if (loaded.kind === 'invalid') return;
  const { source, value } = loaded;
  const listen = readListen(options.listen, value.listen);
  const podLabels = podLabelsOf(value, context.env);
  const mistakes = [listen, podLabels].flatMap((part) => (part.kind === 'invalid' ? part.mistakes : []));
  const serving =
    listen.kind === 'ok' && podLabels.kind === 'ok'
      ? await serve({ ...value, source, listen: listen.value, ...podLabels.value }, context)
      : { kind: 'invalid' as const, mistakes };
  if (serving.kind === 'invalid') {
    stderr(formatMistakes(source, serving.mistakes));
    exit(2);
    return;
  }
  const { url, probesUrl } = serving;
  log.info({ url, ...(probesUrl && { probesUrl }), targets: value.targets.length, configuration: source }, 'serving');
  // A fault in either ends both.
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const finished = serving.finished.finally(() => stop.abort());
  await Promise.all([finished, keepLoaded({ loaded, serving }, { ...context, signal })]);
};
