// Durations in the format of Go's time.Duration: `0s`, `146.068µs`, `1m5s`, `1h2m3.5s`.

const nanosecondsPer: ReadonlyMap<string, number> = new Map([
  ['ns', 1],
  ['us', 1e3],
  ['µs', 1e3], // U+00B5, what Go writes
  ['μs', 1e3], // U+03BC, what Go also reads
  ['ms', 1e6],
  ['s', 1e9],
  ['m', 60e9],
  ['h', 3600e9],
]);

const part = /(\d+\.?\d*|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/gy;

/** Seconds of a Go duration, or undefined if the text is not one. */
export const parseGoDurationSeconds = (text: string): number | undefined => {
  const negative = text.startsWith('-');
  const body = negative || text.startsWith('+') ? text.slice(1) : text;
  if (body === '0') return 0;
  if (body === '' || body.length > 64) return undefined;
  let nanoseconds = 0;
  let end = 0;
  for (const match of body.matchAll(part)) {
    nanoseconds += Number(match[1]) * (nanosecondsPer.get(match[2] ?? '') ?? Number.NaN);
    end = match.index + match[0].length;
  }
  if (end !== body.length || !Number.isFinite(nanoseconds)) return undefined;
  return (negative ? -nanoseconds : nanoseconds) / 1e9;
};

const fraction = (value: bigint, digits: number): string => {
  const scale = 10n ** BigInt(digits);
  const rest = (value % scale).toString().padStart(digits, '0').replace(/0+$/, '');
  return rest === '' ? `${value / scale}` : `${value / scale}.${rest}`;
};

/** The result of Go's Duration.String() for these seconds. */
export const formatGoSeconds = (seconds: number): string => {
  const whole = BigInt(Math.round(Math.abs(seconds) * 1e9));
  if (seconds < 0 && whole > 0n) return `-${formatGoSeconds(-seconds)}`;
  if (whole === 0n) return '0s';
  if (whole < 1_000n) return `${whole}ns`;
  if (whole < 1_000_000n) return `${fraction(whole, 3)}µs`;
  if (whole < 1_000_000_000n) return `${fraction(whole, 6)}ms`;
  const minutes = whole / 60_000_000_000n;
  const rest = `${fraction(whole % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return rest;
  return minutes < 60n ? `${minutes}m${rest}` : `${minutes / 60n}h${minutes % 60n}m${rest}`;
};
