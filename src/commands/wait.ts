// `snowgauge wait`: polls until the node is what is waited for, or time is up.

import { Command, Option } from 'commander';
import type { Client } from '../client/client.ts';
import type { Condition, Target } from '../conditions/condition.ts';
import { pause } from '../pause.ts';
import { printableJson, rounded, span } from '../text.ts';
import { formatErrors } from '../yaml/parse.ts';
import { type AskFlags, type Asking, askOptions, maxAgeOption, readAsking } from './ask-options.ts';
import type { CommandContext } from './context.ts';
import { readDuration, valueOr } from './durations.ts';
import { exitOf, ifStopped, refuse } from './exit-codes.ts';
import {
  type AskedConditions,
  askedConditions,
  circumstancesOf,
  optionsOf,
  pollOnce,
  reportOf,
  unpolled,
  withinAge,
} from './observe-node.ts';
import { withClient } from './obtain.ts';
import { conditionsJson } from './report-json.ts';
import { type Judging, type RuleFlags, readRules, ruleOptions } from './rule-options.ts';
import { conditionLines, paintFor } from './terminal.ts';

const goals = ['ready', 'healthy', 'live'] as const satisfies readonly (keyof AskedConditions)[];

type Goal = (typeof goals)[number];

interface Flags extends Omit<AskFlags, 'timeout'>, RuleFlags {
  readonly for: Goal;
  readonly timeout: string;
  readonly interval: string;
  readonly requestTimeout: string;
  readonly quiet?: boolean;
}

const exits = `
ready: it can be taken into service, by the rules of snowgauge's configuration. healthy: the node says so. live: it answers.

Exit codes: 0 it is, 1 it was not in time, 2 an error in the arguments, 3 Unknown at the end (such as no answer), 130 stopped.`;

export const waitCommand = (context: CommandContext): Command =>
  ruleOptions(
    askOptions(
      new Command('wait')
        .description('wait until a node is ready, healthy or live')
        .argument('<url>', 'the node, such as http://127.0.0.1:9650'),
    ),
  )
    .addOption(new Option('--for <condition>', 'what to wait for').choices(goals).default('ready'))
    .option('--timeout <duration>', 'maximum time to wait', '10m')
    .option('--interval <duration>', 'interval between polls; an unhealthy node logs a line for each', '5s')
    .option('--request-timeout <duration>', 'timeout of a request', '5s')
    .option('--quiet', 'no progress on stderr')
    .addOption(maxAgeOption())
    .addHelpText('after', exits)
    .action((url: string, flags: Flags) => wait(url, flags, context));

interface Waiting {
  readonly url: string;
  readonly goal: Goal;
  readonly asking: Asking;
  readonly rules: Judging;
  readonly timeout: number;
  readonly interval: number;
  readonly quiet: boolean;
}

const wait = async (url: string, flags: Flags, context: CommandContext): Promise<void> => {
  const timeout = readDuration('--timeout', flags.timeout, 0.001, 7 * 86_400);
  const interval = readDuration('--interval', flags.interval, 0.05, 3600);
  const asking = readAsking(url, { ...flags, timeout: flags.requestTimeout }, context.version);
  const rules = readRules(flags);
  const errors = [timeout, interval, asking, rules].flatMap((one) => (one.kind === 'invalid' ? one.errors : []));
  if (asking.kind === 'invalid' || rules.kind === 'invalid' || errors.length > 0) {
    const named = errors.map((one) =>
      asking.kind === 'invalid' && asking.errors.includes(one) && one.path === '--timeout'
        ? { ...one, path: '--request-timeout' }
        : one,
    );
    return refuse(context, formatErrors('snowgauge wait', named));
  }
  const waiting = {
    url,
    goal: flags.for,
    asking: asking.value,
    rules: rules.value,
    timeout: valueOr(timeout, 0),
    interval: valueOr(interval, 5),
    quiet: flags.quiet === true,
  };
  const inTime = AbortSignal.timeout(Math.ceil(waiting.timeout * 1000));
  const either = AbortSignal.any([context.signal, inTime]);
  const ended = await withClient(asking.value, { now: context.now, signal: either }, (client) =>
    waitWith(client, waiting, either, context),
  );
  if (ifStopped(context)) return;
  const { conditions, ...rest } = ended;
  context.stdout(
    flags.output === 'json'
      ? printableJson({ for: flags.for, conditions: conditionsJson(conditions), source: url, ...rest })
      : textOf(flags.for, ended, context),
  );
  context.exit(exitOf[conditions[flags.for].status]);
};

interface Ended {
  /** As of the last poll. */
  readonly conditions: AskedConditions;
  readonly waitedSeconds: number;
  readonly polls: number;
}

const textOf = (goal: Goal, { conditions, waitedSeconds }: Ended, context: CommandContext): string => {
  const paint = paintFor(context);
  const { healthy, ready, live } = conditions;
  const is = conditions[goal].status === 'True' ? paint.good(goal) : paint.bad(`not ${goal}`);
  const told = { healthy, ready, ...(goal === 'live' && { live }) };
  return `${is} after ${span(waitedSeconds)}\n${conditionLines(told, paint)}`;
};

/** A line of progress says what changed; without a change, that there was none. */
const stillEvery = 30;

const waitWith = async (
  client: Client,
  { url, goal, asking, rules, timeout, interval, quiet }: Waiting,
  either: AbortSignal,
  { now, stderr }: CommandContext,
): Promise<Ended> => {
  const began = now();
  let target = unpolled(optionsOf(url, asking.tags, rules, { once: false }), began);
  let last = askedConditions(target.conditions, target.state.options);
  let said = { cause: '', at: began };
  for (let polls = 1; ; polls += 1) {
    const asked = now();
    const polled = await pollOnce(target, client, now);
    const found = conditionsOf(polled, now(), asking.maxAge);
    // What time or a person cut short says nothing of the node.
    if (found[goal].status === 'True' || !either.aborted) [target, last] = [polled, found];
    const ended = { conditions: last, waitedSeconds: rounded(now() - began), polls };
    if (last[goal].status === 'True' || either.aborted || now() - began >= timeout) return ended;
    const cause = causeOf(last[goal]);
    if (!quiet && (cause !== said.cause || now() - said.at >= stillEvery)) {
      const still = cause === said.cause ? 'still ' : '';
      stderr(`${still}not ${goal} after ${span(now() - began)}: ${last[goal].message}\n`);
      said = { cause, at: now() };
    }
    await pause(Math.max(0, interval - (now() - asked)), either);
    if (either.aborted) return { ...ended, waitedSeconds: rounded(now() - began) };
  }
};

/** The message, without the ages that grow with every poll. */
const causeOf = ({ reason, message }: Condition): string => `${reason} ${message.replace(/\d+/g, '')}`;

const conditionsOf = ({ state, conditions }: Target, now: number, maxAge: number | undefined): AskedConditions => {
  const { nodeNow = now } = circumstancesOf(state, now, 0);
  return withinAge(askedConditions(conditions, state.options), reportOf(state), nodeNow, maxAge);
};
