// `snowgauge wait`: asks again and again until the node is what is waited for, or time is up.

import { Command, Option } from 'commander';
import type { Client } from '../client/client.ts';
import { printableJson } from '../report/printable.ts';
import { readingOf } from '../report/reading.ts';
import { rounded, span } from '../server/text.ts';
import { formatMistakes } from '../yaml/parse.ts';
import { type AskFlags, type Asking, askOptions, maxAgeOption, readAsking, readDuration, valueOr } from './ask-options.ts';
import type { CommandContext } from './context.ts';
import { obtainFromNode, type Question, withClient } from './obtain.ts';
import { pause } from './pause.ts';
import { exitCodes, ifStopped, paintFor } from './terminal.ts';

const questions = { ready: 'readiness', healthy: 'health', live: 'liveness' } as const satisfies Record<string, Question>;

type Goal = keyof typeof questions;

interface Flags extends Omit<AskFlags, 'timeout'> {
  readonly for: Goal;
  readonly timeout: string;
  readonly interval: string;
  readonly requestTimeout: string;
  readonly quiet?: boolean;
}

const exits = `
ready: the node has finished initializing, once and for all. healthy: its checks pass now. live: it answers.

Exit codes: 0 it is, 1 it was not in time, 2 a mistake in the arguments, 3 nobody can say (no answer at the end), 130 stopped.`;

export const waitCommand = (context: CommandContext): Command =>
  askOptions(
    new Command('wait')
      .description('wait until a node is ready, healthy or live')
      .argument('<url>', 'the node, such as http://127.0.0.1:9650'),
  )
    .addOption(new Option('--for <state>', 'what to wait for').choices(Object.keys(questions)).default('ready'))
    .option('--timeout <duration>', 'give up after so long', '10m')
    .option(
      '--interval <duration>',
      'between two questions; a node writes a line to its log for each that finds it unhealthy',
      '5s',
    )
    .option('--request-timeout <duration>', 'of one answer', '5s')
    .option('--quiet', 'no progress on stderr')
    .addOption(maxAgeOption())
    .addHelpText('after', exits)
    .action((url: string, flags: Flags) => wait(url, flags, context));

interface Waiting {
  readonly goal: Goal;
  readonly asking: Asking;
  readonly timeout: number;
  readonly interval: number;
  readonly quiet: boolean;
}

const wait = async (url: string, flags: Flags, context: CommandContext): Promise<void> => {
  const timeout = readDuration('--timeout', flags.timeout, 0.001, 7 * 86_400);
  const interval = readDuration('--interval', flags.interval, 0.05, 3600);
  const asking = readAsking(url, { ...flags, timeout: flags.requestTimeout }, context.version);
  const mistakes = [timeout, interval, asking].flatMap((one) => (one.kind === 'invalid' ? one.mistakes : []));
  if (asking.kind === 'invalid' || mistakes.length > 0) {
    const named = mistakes.map((one) =>
      asking.kind === 'invalid' && asking.mistakes.includes(one) && one.path === '--timeout'
        ? { ...one, path: '--request-timeout' }
        : one,
    );
    context.stderr(formatMistakes('snowgauge wait', named));
    context.exit(exitCodes.usage);
    return;
  }
  const waiting = {
    goal: flags.for,
    asking: asking.value,
    timeout: valueOr(timeout, 0),
    interval: valueOr(interval, 5),
    quiet: flags.quiet === true,
  };
  const ended = await withClient(asking.value, context, (client) => waitWith(client, waiting, context));
  if (ifStopped(context)) return;
  context.stdout(
    flags.output === 'json' ? printableJson({ for: flags.for, source: url, ...ended }) : sentence(flags.for, ended, context),
  );
  context.exit(ended.state === 'yes' ? exitCodes.healthy : ended.state === 'no' ? exitCodes.unhealthy : exitCodes.unknown);
};

interface Ended {
  /** Of what is waited for, when last asked. */
  readonly state: 'yes' | 'no' | 'unknown';
  readonly because: string;
  readonly waitedSeconds: number;
  readonly questions: number;
}

const sentence = (goal: Goal, { state, because, waitedSeconds }: Ended, context: CommandContext): string => {
  const paint = paintFor(context);
  const after = `after ${span(waitedSeconds)}`;
  return state === 'yes' ? `${paint.good(goal)} ${after}: ${because}\n` : `${paint.bad(`not ${goal}`)} ${after}: ${because}\n`;
};

/** A line of progress says what changed; without a change, that there was none. */
const stillEvery = 30;

const waitWith = async (
  client: Client,
  { goal, asking, timeout, interval, quiet }: Waiting,
  context: CommandContext,
): Promise<Ended> => {
  const { now, signal, stderr } = context;
  const began = now();
  const inTime = AbortSignal.timeout(Math.ceil(timeout * 1000));
  const either = AbortSignal.any([signal, inTime]);
  let last: Pick<Ended, 'state' | 'because'> = { state: 'unknown', because: 'no answer yet' };
  let said = { because: '', at: began };
  for (let count = 1; ; count += 1) {
    const asked = now();
    const found = await stateOf(client, goal, asking, either);
    // What time or a person cut short says nothing of the node.
    if (found.state === 'yes' || !either.aborted) last = found;
    const ended = { ...last, waitedSeconds: rounded(now() - began), questions: count };
    if (last.state === 'yes' || either.aborted || now() - began >= timeout) return ended;
    if (!quiet && (last.because !== said.because || now() - said.at >= stillEvery)) {
      stderr(`${last.because === said.because ? 'still ' : ''}not ${goal} after ${span(now() - began)}: ${last.because}\n`);
      said = { because: last.because, at: now() };
    }
    await pause(Math.max(0, interval - (now() - asked)), either);
    if (either.aborted) return { ...ended, waitedSeconds: rounded(now() - began) };
  }
};

const stateOf = async (
  client: Client,
  goal: Goal,
  asking: Asking,
  signal: AbortSignal,
): Promise<Pick<Ended, 'state' | 'because'>> => {
  const obtained = await obtainFromNode(client, questions[goal], asking, signal);
  if (obtained.kind !== 'ok') return { state: 'unknown', because: obtained.because };
  const { verdict, because } = readingOf(obtained.report, obtained.circumstances);
  return { state: verdict === 'healthy' ? 'yes' : verdict === 'unhealthy' ? 'no' : 'unknown', because };
};
