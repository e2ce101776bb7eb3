// How far a long walk is, as one line.

export interface Progress {
  readonly first: bigint;
  readonly next: bigint;
  /** One past the last. */
  readonly end: bigint;
}

const width = 24;

/** `seconds` since the walk began, at `first`. No line end. */
export const progressLine = (progress: Progress, seconds: number): string => {
  const filled = Math.round(partOf(progress) * width);
  return `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${progressText(progress, seconds)}`;
};

/** The same without the bar. */
export const progressText = (progress: Progress, seconds: number): string => {
  const { first, next, end } = progress;
  const done = Number(next - first);
  const rate = seconds > 0 ? done / seconds : 0;
  const left = rate > 0 ? `${spanOf(Number(end - next) / rate)} left` : 'time left unknown';
  return `${Math.floor(partOf(progress) * 100)} %  ${next} of ${end}  ${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s  ${left}`;
};

const partOf = ({ first, next, end }: Progress): number =>
  end > first ? Math.min(1, Number(next - first) / Number(end - first)) : 1;

const spanOf = (seconds: number): string => {
  const whole = Math.max(0, Math.ceil(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};
