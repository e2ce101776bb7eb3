// Parses a page of metrics line by line, ten times as fast as the strict parser.

export interface Family {
  readonly name: string;
  readonly type: string;
  /** Its HELP line and its type as on the page. */
  readonly declared: string;
}

export interface Sample {
  readonly family: Family;
  /** The text before the value. */
  readonly series: string;
  readonly value: number;
}

const parts: Readonly<Record<string, readonly string[]>> = { histogram: ['_bucket', '_sum', '_count'] };

/** A substring would keep the whole page in memory, which is two megabytes for a hundred targets. */
const copied = (part: string): string => Buffer.from(part).toString();

/** Returns the families. Reports samples outside of their family or without a number, and families without HELP or samples. */
export const readPage = (
  text: string,
  add: (sample: Sample) => void,
  fault: (text: string) => void,
): ReadonlyMap<string, Family> => {
  const families = new Map<string, Family>();
  let help = '';
  let family: Family | undefined;
  let samples = 0;
  const close = (): void => {
    if (samples === 0 && family !== undefined) fault(`${family.name} has no samples`);
    samples = 0;
  };
  for (const line of text.split('\n')) {
    if (line.startsWith('# HELP ')) help = line;
    else if (line.startsWith('# TYPE ')) {
      close();
      const [, , name = '', type = ''] = copied(line).split(' ');
      if (!help.startsWith(`# HELP ${name} `)) fault(`${name} has no HELP`);
      family = { name, type, declared: copied(`${help}, ${type}`) };
      families.set(name, family);
      help = '';
    } else if (line !== '') {
      const end = line.lastIndexOf(' ');
      const [series, value] = [copied(line.slice(0, end)), numberIn(line.slice(end + 1))];
      if (Number.isNaN(value)) fault(`${line} has no number`);
      else if (family === undefined || !belongs(series, family)) fault(`${series} has no TYPE`);
      else {
        samples += 1;
        add({ family, series, value });
      }
    }
  }
  close();
  return families;
};

const belongs = (series: string, { name, type }: Family): boolean => {
  const brace = series.indexOf('{');
  const own = brace < 0 ? series : series.slice(0, brace);
  return parts[type] === undefined ? own === name : parts[type].some((part) => own === name + part);
};

const numberIn = (text: string): number => {
  if (text === '+Inf') return Number.POSITIVE_INFINITY;
  return text === '' ? Number.NaN : Number(text);
};

/** The value of a label as written, or the empty string. */
export const labelIn = (series: string, label: string): string => {
  const from = series.indexOf(`${label}="`);
  const start = from + label.length + 2;
  const isWhole = from > 0 && (series[from - 1] === '{' || series[from - 1] === ',');
  return isWhole ? series.slice(start, series.indexOf('"', start)) : '';
};
