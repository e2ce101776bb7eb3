// `snowgauge wait`: polls until the node has the wanted condition, or until the timeout.

import { Command, Option } from 'commander';
import type { Client } from '../client/client.ts';
import type { Condition, Target } from '../conditions/condition.ts';
import { pause } from '../pause.ts';
import { shownUrl } from '../protocol/node-url.ts';
import { conditionText } from '../report/paint.ts';
import type { LastPoll } from '../sources/target-state.ts';
import { printableJson, rounded, span } from '../text.ts';
import type { ConfigError } from '../yaml/parse.ts';
import { readDuration, refuse } from './arguments.ts';
import { readClient, readTags, type TagFlags, tagOptions, withClient } from './client-flags.ts';
import type { CommandContext } from './context.ts';
import { ifStopped } from './exit-codes.ts';
import {
  type AskedConditions,
  askedConditions,
  circumstancesOf,
  exitCodeOf,
  optionsOf,
  pollOnce,
  reportOf,
  unpolled,
  withinAge,
} from './observe-node.ts';
import { conditionsJson } from './report-json.ts';
import { maxAgeOption, type RuleFlags, readRules, ruleOptions } from './rule-flags.ts';
import { paintFor } from './terminal.ts';

const goals = ['ready', 'healthy', 'live'] as const satisfies readonly (keyof AskedConditions)[];

type Goal = (typeof goals)[number];

interface Flags extends TagFlags, RuleFlags {
  readonly for: Goal;
  readonly interval: string;
  readonly requestTimeout: string;
  readonly quiet?: boolean;
}

const exits = `
ready: the node can receive traffic, by the readiness rules of snowgauge. healthy: the node reports healthy. live: it responds.

Exit codes: 0 condition met, 1 timed out while False, 2 usage error, 3 timed out while Unknown or without any response to the last poll,
130 interrupted.`;

export const waitCommand = (context: CommandContext): Command =>
  ruleOptions(tagOptions(new Command('wait').argument('<url>', 'the node, such as http://127.0.0.1:9650')))
    .addOption(new Option('--for <condition>', 'what to wait for').choices(goals).default('ready'))
    .option('--timeout <duration>', 'maximum time to wait', '10m')
    .option('--interval <duration>', 'interval between polls; an unhealthy node writes a line to its log for each', '5s')
    .option('--request-timeout <duration>', 'timeout of a request', '5s')
    .option('--quiet', 'no progress on stderr')
    .addOption(maxAgeOption())
    .addHelpText('after', exits)
    .action((url: string, flags: Flags) => wait(url, flags, context));

const wait = async (url: string, flags: Flags, context: CommandContext): Promise<void> => {
  const errors: ConfigError[] = [];
  const timeout = readDuration('--timeout', flags.timeout, 0.001, 7 * 86_400, errors);
  const interval = readDuration('--interval', flags.interval, 0.05, 3600, errors);
  const tags = readTags(flags, errors);
  const rules = readRules(flags, errors);
  const asked = { ...flags, timeout: flags.requestTimeout };
  const client = readClient(url, asked, context.version, errors, '--request-timeout');
  if (errors.length > 0) return refuse(context, 'snowgauge wait', errors);
  const { maxAge } = rules;
  const target = unpolled(optionsOf(url, tags, rules, { once: false }), context.now());
  const inTime = AbortSignal.timeout(Math.ceil(timeout * 1000));
  const signal = AbortSignal.any([context.signal, inTime]);
  const ended = await withClient(client, { now: context.now, signal }, (asking) =>
    waitFor(target, asking, { goal: flags.for, maxAge, timeout, interval, quiet: flags.quiet === true }, { ...context, signal }),
  );
  if (ifStopped(context)) return;
  const { conditions, lastPoll, ...rest } = ended;
  context.stdout(
    flags.output === 'json'
      ? printableJson({ for: flags.for, conditions: conditionsJson(conditions), source: shownUrl(url), ...rest })
      : textOf(flags.for, ended, context),
  );
  context.exit(exitCodeOf(conditions[flags.for], lastPoll));
};

interface Ended {
  /** After the last poll. */
  readonly conditions: AskedConditions;
  readonly lastPoll: LastPoll | undefined;
  readonly waitedSeconds: number;
  readonly polls: number;
}

const textOf = (goal: Goal, { conditions, waitedSeconds }: Ended, context: CommandContext): string => {
  const paint = paintFor(context);
  const { healthy, ready, live } = conditions;
  const is = conditions[goal].status === 'True' ? paint.good(goal) : paint.bad(`not ${goal}`);
  const shown = { healthy, ready, ...(goal === 'live' && { live }) };
  return `${is} after ${span(waitedSeconds)}\n${conditionText(shown, paint)}`;
};

/** Times are in seconds. */
interface Waiting {
  readonly goal: Goal;
  readonly maxAge: number | undefined;
  readonly timeout: number;
  readonly interval: number;
  readonly quiet: boolean;
}

const stillEvery = 30;

const waitFor = async (
  unpolledTarget: Target,
  client: Client,
  { goal, maxAge, timeout, interval, quiet }: Waiting,
  { now, stderr, signal }: CommandContext,
): Promise<Ended> => {
  const startedAt = now();
  let target = unpolledTarget;
  let conditions = askedConditions(target.conditions, target.state.options);
  let said = { cause: '', at: startedAt };
  for (let polls = 1; ; polls += 1) {
    const polledAt = now();
    const polled = await pollOnce(target, client, now);
    const found = conditionsOf(polled, now(), maxAge);
    // A poll that was aborted by timeout or signal says nothing about the node.
    if (found[goal].status === 'True' || !signal.aborted) [target, conditions] = [polled, found];
    const waited = now() - startedAt;
    const isEnd = conditions[goal].status === 'True' || signal.aborted || waited >= timeout;
    if (!isEnd) {
      const cause = causeOf(conditions[goal]);
      if (!quiet && (cause !== said.cause || now() - said.at >= stillEvery)) {
        const still = cause === said.cause ? 'still ' : '';
        stderr(`${still}not ${goal} after ${span(waited)}: ${conditions[goal].message}\n`);
        said = { cause, at: now() };
      }
      await pause(Math.max(0, interval - (now() - polledAt)), signal);
    }
    if (isEnd || signal.aborted)
      return { conditions, lastPoll: target.state.lastPoll, waitedSeconds: rounded(now() - startedAt), polls };
  }
};

/** Reason and message without numbers, because ages grow with every poll. */
const causeOf = ({ reason, message }: Condition): string => `${reason} ${message.replace(/\d+/g, '')}`;

const conditionsOf = ({ state, conditions }: Target, now: number, maxAge: number | undefined): AskedConditions => {
  const { nodeNow = now } = circumstancesOf(state, now, 0);
  return withinAge(askedConditions(conditions, state.options), reportOf(state), nodeNow, maxAge);
};
