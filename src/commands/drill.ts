// `snowgauge drill`: injects a fault into an embedded node, and checks that a real Prometheus and a real Alertmanager alert on it in time,
// and on nothing else.

import { Command, Option } from 'commander';
import type { StartExporter } from '../drills/drilled.ts';
import { drills } from '../drills/drills.ts';
import type { Judged } from '../drills/judge.ts';
import { announcement, asJson, line, result } from '../drills/report.ts';
import { runAll } from '../drills/run-all.ts';
import { findTools } from '../drills/tools.ts';
import { greatest } from '../lists.ts';
import { silentLog } from '../log.ts';
import { printableJson } from '../text.ts';
import { type ConfigError, formatErrors } from '../yaml/parse.ts';
import { unknownWord } from '../yaml/suggest.ts';
import { refuse } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { exitCodes, ifStopped } from './exit-codes.ts';
import { prepare } from './prepare.ts';
import { keepLoaded } from './reload.ts';
import { serve } from './serve.ts';
import { paintFor } from './terminal.ts';

const maxJobs = 16;

interface Options {
  readonly all?: true;
  readonly jobs: string;
  readonly prometheus?: string;
  readonly alertmanager?: string;
  readonly output: 'text' | 'json';
}

const exits = `
Time is compressed: the node runs its health checks every second, and alerts are pending for 4 s. The rules are the released ones.

Exit codes: 0 passed, 1 an alert or notification was late, missing or unexpected, 2 usage error, 3 no Prometheus,
or inconclusive because this machine was too slow, 130 interrupted.`;

export const drillCommand = (context: CommandContext): Command =>
  new Command('drill')
    .argument('[names...]', 'drills to run; lists them if none is given')
    .option('--all', 'run all drills')
    .option('--jobs <number>', `number of drills to run in parallel, 1 to ${maxJobs}`, '4')
    .option('--prometheus <file>', 'Prometheus binary (default: from the PATH)')
    .option('--alertmanager <file>', 'Alertmanager binary (default: from the PATH; without it, notifications are not checked)')
    .addOption(new Option('--output <format>', 'output format').choices(['text', 'json']).default('text'))
    .addHelpText('after', exits)
    .action((names: readonly string[], options: Options) => drill(names, options, context));

const drill = async (names: readonly string[], options: Options, context: CommandContext): Promise<void> => {
  const errors = errorsIn(names, options);
  if (errors.length > 0) return refuse(context, 'snowgauge drill', errors);
  const wanted = options.all === true ? drills : drills.filter(({ name }) => names.includes(name));
  if (wanted.length === 0) return list(options, context);
  const found = await findTools(options, context.env);
  if (found.kind === 'missing') {
    context.stderr(found.text);
    context.exit(exitCodes.unknown);
    return;
  }
  const paint = paintFor(context);
  const isText = options.output === 'text';
  const [only] = wanted;
  const isOne = wanted.length === 1;
  if (isText && isOne && only !== undefined) context.stdout(`${announcement(only, paint)}\n`);
  let done = 0;
  const deps = { ...context, log: silentLog, startExporter: starting(context) };
  const ended = await runAll(wanted, Number(options.jobs), found.tools, deps, (judged) => {
    done += 1;
    if (isText) context.stdout(isOne ? result(judged, paint) : line(judged, paint));
    else if (context.stderrIsTerminal !== true) context.stderr(`${judged.drill.name} is done, ${done} of ${wanted.length}\n`);
  });
  if (ifStopped(context)) return;
  if (ended.kind === 'fault') {
    context.stderr(`snowgauge drill: ${ended.text}\n`);
    context.exit(exitCodes.unknown);
    return;
  }
  const outcomes = ended.judged.map(({ outcome }) => outcome);
  const count = (wanted: Judged['outcome']): number => outcomes.filter((outcome) => outcome === wanted).length;
  const [failed, inconclusive] = [count('failed'), count('inconclusive')];
  const unclear = inconclusive === 0 ? '' : `, ${inconclusive} inconclusive`;
  if (!isText) context.stdout(printableJson(asJson(ended.judged)));
  else if (!isOne) context.stdout(`${count('passed')} passed, ${failed} failed${unclear}\n`);
  context.exit(failed > 0 ? exitCodes.no : inconclusive > 0 ? exitCodes.unknown : exitCodes.ok);
};

/** Starts an exporter like `snowgauge run`, but without the environment variables and the log of the process. */
const starting =
  ({ now, version }: CommandContext): StartExporter =>
  async (file, signal) => {
    const env = {};
    const deps = { env, now, version, signal, log: silentLog };
    const prepared = await prepare({ config: file, listen: '127.0.0.1:0' }, deps);
    const serving = prepared.kind === 'ok' ? await serve(prepared.served, deps) : prepared;
    if (prepared.kind === 'invalid' || serving.kind === 'invalid') {
      const errors = serving.kind === 'invalid' ? serving.errors : [];
      throw new Error(formatErrors('the exporter of the drill', errors));
    }
    const kept = keepLoaded({ loaded: prepared.loaded, serving }, deps);
    return { url: serving.url, finished: Promise.all([serving.finished, kept]).then(() => undefined) };
  };

const errorsIn = (names: readonly string[], { all, jobs }: Options): readonly ConfigError[] => {
  const known = drills.map(({ name }) => name);
  const errors = names
    .filter((name) => !known.includes(name))
    .map((name): ConfigError => ({ path: '', message: unknownWord('drill', name, known) }));
  if (!/^\d{1,2}$/.test(jobs) || Number(jobs) < 1 || Number(jobs) > maxJobs)
    errors.push({ path: '--jobs', message: `${JSON.stringify(jobs)} is not a number from 1 to ${maxJobs}` });
  if (all === true && names.length > 0) errors.push({ path: '', message: 'give names, or --all, not both' });
  return errors;
};

const list = ({ output }: Options, context: CommandContext): void => {
  if (output === 'json') {
    context.stdout(printableJson({ drills: drills.map(({ name, fault, alert, look }) => ({ name, fault, alert, look })) }));
    return;
  }
  const width = greatest(drills.map(({ name }) => name.length));
  for (const { name, fault, alert } of drills)
    context.stdout(`${name.padEnd(width)}  ${fault}\n${' '.repeat(width)}  ${alert}\n`);
  context.stdout('\nOne: snowgauge drill NAME. All: snowgauge drill --all\n');
};
