// The progress of a long walk, as one line.

import { span } from '../text.ts';

export interface WalkProgress {
  readonly first: bigint;
  /** Where the walk resumed after an interruption. The rate only counts containers from there on. */
  readonly resumedAt?: bigint | undefined;
  readonly next: bigint;
  /** One past the last container. */
  readonly end: bigint;
}

const longestBar = 24;
const shortestBar = 4;

/** Width of a terminal that does not report its own. */
const defaultColumns = 80;

/**
 * `seconds`: since the walk began, or was resumed. The line has no newline, and is narrower than the terminal, because a wrapped line
 * cannot be overwritten. In a narrow terminal the bar is shorter, then less important parts are left out.
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

/** The same without the bar, for output that is not a terminal. */
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
