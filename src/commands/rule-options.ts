// The options that say by which rules a command judges a node: those of the configuration, with its defaults.

import { type Command, Option } from 'commander';
import { targetFrom } from '../config/target.ts';
import { type Reason, reasons } from '../protocol/reasons.ts';
import type { Readiness } from '../snapshot/options.ts';
import type { ConfigError, Parsed } from '../yaml/parse.ts';
import { gathered } from './client-flags.ts';
import { error, readDuration, valueOr } from './durations.ts';

/** As commander gives them. */
export interface RuleFlags {
  readonly ignoreCheck: readonly string[];
  readonly ignoreReason?: readonly string[];
  readonly healthCheckFrequency: string;
}

const defaults: Readiness = targetFrom().options.readiness;

export const ruleOptions = (command: Command): Command =>
  command
    .option('--ignore-check <check>', 'check whose failure does not make the node unready; repeatable', gathered, [])
    .addOption(
      new Option(
        '--ignore-reason <reason>',
        `failures for this reason do not make the node unready; repeatable; none: every reason counts (default: ${defaults.ignoreReasons.join(', ')})`,
      ).argParser((value: string, before: readonly string[] | undefined) => gathered(value, before ?? [])),
    )
    .option('--health-check-frequency <duration>', "the node's --health-check-frequency", '30s');

export interface Judging {
  readonly ignored: Pick<Readiness, 'ignoreChecks' | 'ignoreReasons'>;
  /** Seconds. */
  readonly healthCheckFrequency: number;
}

const isReason = (text: string): text is Reason => reasons.some((reason) => reason === text);

export const readRules = ({ ignoreCheck, ignoreReason, healthCheckFrequency }: RuleFlags): Parsed<Judging> => {
  const frequency = readDuration('--health-check-frequency', healthCheckFrequency, 1, 3600);
  const named = ignoreReason?.filter((reason) => reason !== 'none');
  const unknown = (named ?? []).filter((reason) => !isReason(reason));
  const errors: readonly ConfigError[] = [
    ...(frequency.kind === 'invalid' ? frequency.errors : []),
    ...unknown.map((reason) =>
      error('--ignore-reason', `${JSON.stringify(reason)} is no reason: write none, or one of ${reasons.join(', ')}`),
    ),
  ];
  if (errors.length > 0) return { kind: 'invalid', errors };
  const ignoreReasons = named?.filter(isReason) ?? defaults.ignoreReasons;
  return {
    kind: 'ok',
    value: { ignored: { ignoreChecks: ignoreCheck, ignoreReasons }, healthCheckFrequency: valueOr(frequency, 30) },
  };
};
