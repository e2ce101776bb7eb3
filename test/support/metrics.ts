// A snapshot's page as a test wants to read it: by series.

import { render } from '../../src/metrics/exposition.ts';
import { families } from '../../src/metrics/families.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { judgeAll } from '../../src/verdict/judge.ts';
import { type ParsedFamily, parseExposition, type Series } from './exposition-parser.ts';
import { noon } from './snapshot.ts';

export const build = { version: '0.0.0-test' } as const;
export const reload = { successful: true, succeededAt: noon - 3600 } as const;

export const familiesOf = async (snapshot: Snapshot, now = noon): Promise<readonly ParsedFamily[]> =>
  parseExposition(await render(families(judgeAll(snapshot, now), build, reload, now), 'text'), 'text');

export const seriesOf = async (snapshot: Snapshot, now = noon): Promise<readonly Series[]> =>
  (await familiesOf(snapshot, now)).flatMap(({ series }) => series);

const spelled = ({ name, labels }: Series): string => {
  const inner = Array.from(labels, ([label, value]) => `${label}="${value}"`).join(',');
  return inner === '' ? name : `${name}{${inner}}`;
};

/** Value by series, as in `snowgauge_up{target="node"}` without the prefix; of the families whose name begins so. */
export const samples = async (snapshot: Snapshot, family: string, now = noon): Promise<Record<string, number>> => {
  const series = (await seriesOf(snapshot, now)).filter(({ name }) => name.startsWith(`snowgauge_${family}`));
  return Object.fromEntries(series.map((one) => [spelled(one).slice('snowgauge_'.length), one.value]));
};
