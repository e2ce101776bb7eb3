// Formats whether validators may be restarted as text, with the reasons against it, the strongest first.

import * as z from 'zod/mini';
import { counted, printable, roughPercent, span } from '../text.ts';
import { answeredRows } from './answered-rows.ts';
import type { Paint } from './paint.ts';

const result = z.enum(['safe', 'unknown', 'unsafe']);

/** The members of a response of /api/v1/safe-to-restart that are shown. */
export const restartShown = z.object({
  result,
  forSeconds: z.number(),
  judgedFrom: z.object({
    by: z.enum(['exporter', 'shard', 'command']),
    targets: z.number(),
    shard: z.exactOptional(z.number()),
    fleetTargets: z.exactOptional(z.number()),
    notWatched: z.exactOptional(z.number()),
  }),
  targets: answeredRows(
    z.object({
      name: z.string(),
      result,
      reasons: answeredRows(z.object({ type: z.string(), result, message: z.string() })),
      allowedSeconds: z.exactOptional(z.number()),
      cost: z.object({ budgetShare: z.exactOptional(z.number()) }),
    }),
  ),
});

type RestartShown = z.output<typeof restartShown>;

const levels = { safe: 'good', unknown: 'warn', unsafe: 'bad' } as const satisfies Record<RestartShown['result'], keyof Paint>;

export const restartText = ({ targets, judgedFrom, forSeconds }: RestartShown, paint: Paint): string => {
  const texts = targets.map((one) => statusText(one, paint));
  const { notWatched: left = 0 } = judgedFrom;
  const unseen =
    left === 0 ? '' : `; ${counted(left, 'discovered node')} ${left === 1 ? 'is' : 'are'} not watched, and not considered`;
  return `${texts.join('')}${paint.faint(`for ${span(forSeconds)}, based on ${fromText(judgedFrom)}${unseen}`)}\n`;
};

const statusText = ({ name, result, reasons, allowedSeconds, cost }: RestartShown['targets'][number], paint: Paint): string => {
  const figures = [
    ...(allowedSeconds === undefined ? [] : [`the uptime requirement allows ${span(allowedSeconds)} of downtime`]),
    ...(cost.budgetShare === undefined ? [] : [`a restart costs ${roughPercent(cost.budgetShare)} of the downtime left`]),
  ];
  return [
    `${paint[levels[result]](result)} ${paint.strong(printable(name))}${figures.length === 0 ? '' : `: ${figures.join(', ')}`}\n`,
    ...reasons.map((one) => `  ${paint[levels[one.result]](printable(one.type))}: ${printable(one.message, 600)}\n`),
  ].join('');
};

const fromText = ({ by, targets, shard, fleetTargets }: RestartShown['judgedFrom']): string => {
  switch (by) {
    case 'exporter':
      return `${counted(targets, 'target')} of a running snowgauge`;
    case 'shard':
      return `${counted(targets, 'target')} of shard ${shard} (all shards: ${fleetTargets})`;
    case 'command':
      return `one poll of ${counted(targets, 'node')}; maintenance windows unknown`;
    default:
      return by satisfies never;
  }
};
