// How far a long walk is, as one line.

import { span } from '../text.ts';

export interface WalkProgress {
  readonly first: bigint;
  /** Where it goes on after an interruption: only what comes from there tells the rate. */
  readonly resumedAt?: bigint | undefined;
  readonly next: bigint;
  /** One past the last. */
  readonly end: bigint;
}

const longestBar = 24;
const shortestBar = 4;

/** Of a terminal that does not tell its own. */
const defaultColumns = 80;

/**
 * `seconds` since the walk began, or was resumed. No line end, and never as wide as the terminal: a line that is wrapped cannot be
 * written over. In a narrow one the bar is shorter, then the less needed parts go.
 */
export const progressLine = (progress: WalkProgress, seconds: number, columns = 0): string => {
  const room = (columns > 0 ? columns : defaultColumns) - 1;
  const { done, count, rate, left } = partsOf(progress, seconds);
  const texts = [[done, count, rate, left], [done, rate, left], [done, left], [done]].map((parts) => parts.join('  '));
  const [whole = ''] = texts;
  const width = Math.min(longestBar, room - whole.length - '[] '.length);
  if (width < shortestBar) return texts.find((text) => text.length <= room) ?? done.slice(0, room);
  const filled = Math.round(partOf(progress) * width);
  return `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${whole}`;
};

/** The same without the bar, for where there is no terminal. */
export const progressText = (progress: WalkProgress, seconds: number): string =>
  Object.values(partsOf(progress, seconds)).join('  ');

const partsOf = (progress: WalkProgress, seconds: number) => {
  const { first, resumedAt = first, next, end } = progress;
  const rate = seconds > 0 ? Number(next - resumedAt) / seconds : 0;
  return {
    done: `${Math.floor(partOf(progress) * 100)} %`,
    count: `${next} of ${end}`,
    rate: `${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`,
    left: rate > 0 ? `${span(Math.ceil(Number(end - next) / rate))} left` : 'time left unknown',
  };
};

const partOf = ({ first, next, end }: WalkProgress): number =>
  end > first ? Math.min(1, Number(next - first) / Number(end - first)) : 1;
