// Instants, ages and spans as a person reads them.

/** RFC 3339 in UTC with milliseconds, from seconds since the Unix epoch. */
export const isoOf = (instant: number): string => new Date(instant * 1000).toISOString();

/** To the millisecond: what an age or a skew computed in doubles is worth. */
export const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;

const units = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3600 },
  { name: 'min', seconds: 60 },
  { name: 's', seconds: 1 },
] as const;

/** The two largest units of a span: `4 s`, `3 min 20 s`, `2 d 5 h`; below a second in milli- or microseconds. */
export const span = (seconds: number): string => {
  if (seconds === 0) return '0 s';
  if (seconds < 0.001) return `${Math.round(seconds * 1e6)} µs`;
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  const whole = Math.round(seconds);
  const first = units.findIndex((unit) => whole >= unit.seconds);
  const large = units[first];
  if (large === undefined) return `${whole} s`;
  const small = units[first + 1];
  const rest = small === undefined ? 0 : Math.floor((whole % large.seconds) / small.seconds);
  const head = `${Math.floor(whole / large.seconds)} ${large.name}`;
  return small === undefined || rest === 0 ? head : `${head} ${rest} ${small.name}`;
};
