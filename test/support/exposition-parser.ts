// A strict parser of both text formats, written from the specifications instead of our renderer: it throws on anything a lenient
// scraper would accept.

export type Format = 'text' | 'openmetrics';

export interface Series {
  readonly name: string;
  /** In the order of the page, without empty values, as in Prometheus. */
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

export interface ParsedFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly series: readonly Series[];
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const labelName = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

const fail = (line: string, why: string): never => {
  throw new Error(`${why}: ${JSON.stringify(line.slice(0, 300))}`);
};

const numberOf = (text: string, line: string): number => {
  if (text === '+Inf') return Number.POSITIVE_INFINITY;
  if (!/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)) fail(line, 'not a finite number');
  return Number(text);
};

const unescaped = (text: string, line: string): string =>
  text.replace(/\\(.?)/gs, (_, character: string) => {
    if (character === 'n') return '\n';
    return character === '\\' || character === '"' ? character : fail(line, 'unknown escape');
  });

const labelsOf = (text: string, line: string): ReadonlyMap<string, string> => {
  const labels = new Map<string, string>();
  const names = new Set<string>();
  let rest = text;
  while (rest !== '') {
    const match = /^([^=]*)="((?:[^"\\]|\\.)*)"(,|$)/s.exec(rest);
    if (match === null) return fail(line, 'labels that cannot be read');
    const [whole, name = '', value = '', comma] = match;
    if (!labelName.test(name)) fail(line, 'not a label name');
    if (names.has(name)) fail(line, 'a label twice');
    if (!(value === Buffer.from(value).toString())) fail(line, 'not well-formed Unicode');
    names.add(name);
    if (value !== '') labels.set(name, unescaped(value, line));
    rest = rest.slice(whole.length);
    if (comma === ',' && rest === '') fail(line, 'a comma too many');
  }
  return labels;
};

const sampleOf = (line: string): Series => {
  const match = /^([^{ ]+)(?:\{(.*)\})? (\S+)$/s.exec(line);
  if (match === null) return fail(line, 'not a sample');
  const [, name = '', labels = '', value = ''] = match;
  if (!metricName.test(name)) fail(line, 'not a metric name');
  return { name, labels: labelsOf(labels, line), value: numberOf(value, line) };
};

/** The same key for the same name and labels. */
export const seriesKey = ({ name, labels }: Pick<Series, 'name' | 'labels'>): string =>
  `${name}${JSON.stringify([...labels].sort(([a], [b]) => (a < b ? -1 : 1)))}`;

const suffixes: Readonly<Record<string, readonly string[]>> = {
  gauge: [''],
  counter: [''],
  histogram: ['_bucket', '_sum', '_count'],
};

const belongs = (family: ParsedFamily, name: string, format: Format): boolean => {
  const ends = format === 'openmetrics' && family.type === 'counter' ? ['_total'] : (suffixes[family.type] ?? []);
  return ends.some((end) => name === family.name + end);
};

interface Open extends ParsedFamily {
  readonly series: Series[];
}

/** The families of a page in order. In OpenMetrics a counter family lacks the `_total` suffix of its series. */
export const parseExposition = (text: string, format: Format): readonly ParsedFamily[] => {
  if (!text.endsWith('\n')) fail(text.slice(-100), 'the last line does not end');
  const lines = text.slice(0, -1).split('\n');
  if (format === 'openmetrics' && lines.pop() !== '# EOF') fail(text.slice(-100), 'no # EOF');

  const families = new Map<string, Open>();
  const seen = new Set<string>();
  let help: { readonly name: string; readonly text: string } | undefined;
  let open: Open | undefined;
  for (const line of lines) {
    if (line === '') {
      if (format === 'openmetrics') fail(line, 'an empty line');
      continue;
    }
    const meta = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line);
    if (meta !== null) {
      const [, kind, name = '', rest = ''] = meta;
      if (kind === 'HELP') {
        if (help !== undefined || families.has(name)) fail(line, 'a second HELP');
        help = { name, text: unescaped(rest, line) };
      } else {
        if (help?.name !== name) return fail(line, 'TYPE without HELP');
        if (suffixes[rest] === undefined) fail(line, 'unknown type');
        open = { name, type: rest, help: help.text, series: [] };
        families.set(name, open);
        help = undefined;
      }
      continue;
    }
    if (line.startsWith('#')) fail(line, 'a comment');
    const sample = sampleOf(line);
    if (open === undefined || help !== undefined || !belongs(open, sample.name, format))
      return fail(line, 'outside of its family');
    const key = seriesKey(sample);
    if (seen.has(key)) fail(line, 'a series twice');
    seen.add(key);
    open.series.push(sample);
  }
  for (const { name, series } of families.values()) if (series.length === 0) fail(name, 'a family without samples');
  return [...families.values()];
};
