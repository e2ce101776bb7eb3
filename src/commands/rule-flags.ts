// Options with the rules for evaluating a node: the same as in the configuration, with its defaults.

import { type Command, Option } from 'commander';
import { targetFrom } from '../config/target.ts';
import { type Reason, reasons } from '../protocol/reasons.ts';
import type { Readiness } from '../snapshot/options.ts';
import type { ConfigError } from '../yaml/parse.ts';
import { readDuration, repeated } from './arguments.ts';

export interface RuleFlags {
  readonly ignoreCheck: readonly string[];
  readonly ignoreReason?: readonly string[];
  readonly healthCheckFrequency: string;
  readonly maxAge?: string;
}

const defaults: Readiness = targetFrom().options.readiness;

export const ruleOptions = (command: Command): Command =>
  command
    .option('--ignore-check <check>', 'check whose failure does not make the node unready; repeatable', repeated, [])
    .option(
      '--ignore-reason <reason>',
      `failures for this reason do not make the node unready; repeatable; none: every reason counts (default: ${defaults.ignoreReasons.join(', ')})`,
      repeated,
    )
    .option('--health-check-frequency <duration>', "the node's --health-check-frequency", '30s');

export const maxAgeOption = (): Option =>
  new Option(
    '--max-age <duration>',
    'maximum age of the last health check run; an older report is Unknown (default: none; a note after 3 × the health check frequency)',
  );

export type Rules = Readonly<ReturnType<typeof readRules>>;

const isReason = (text: string): text is Reason => reasons.some((reason) => reason === text);

/** Durations are in seconds. */
export const readRules = (flags: RuleFlags, errors: ConfigError[]) => {
  const named = flags.ignoreReason?.filter((reason) => reason !== 'none');
  for (const reason of named ?? []) {
    const message = `${JSON.stringify(reason)} is not a known reason: use none, or one of ${reasons.join(', ')}`;
    if (!isReason(reason)) errors.push({ path: '--ignore-reason', message });
  }
  return {
    ignored: { ignoreChecks: flags.ignoreCheck, ignoreReasons: named?.filter(isReason) ?? defaults.ignoreReasons },
    healthCheckFrequency: readDuration('--health-check-frequency', flags.healthCheckFrequency, 1, 3600, errors),
    maxAge: flags.maxAge === undefined ? undefined : readDuration('--max-age', flags.maxAge, 1, 86_400, errors),
  };
};
