// The metrics page of targets, parsed to series.

import type { Target, Targets } from '../../src/conditions/condition.ts';
import { type Contribution, contributionOf } from '../../src/metrics/contribution.ts';
import { familiesOf } from '../../src/metrics/families.ts';
import type { Family } from '../../src/metrics/family.ts';
import { join, joinedBytes } from '../../src/metrics/join.ts';
import { type Layout, layoutOf } from '../../src/metrics/layout.ts';
import { ownFamilies } from '../../src/metrics/own.ts';
import type { PageState } from '../../src/metrics/page.ts';
import type { Format } from '../../src/metrics/text.ts';
import type { Reply } from '../../src/server/reply.ts';
import { sources } from '../../src/sources/sources.ts';
import type { TargetState } from '../../src/sources/target-state.ts';
import { parseExposition, type Series } from './exposition-parser.ts';
import { judged, noon, targetsOf } from './snapshot.ts';

export const build = { version: '0.0.0-test' } as const;
export const reload = { successful: true, succeededAt: noon - 3600 } as const;

/** The input of a page; use another version for other targets. */
export const pageState = (targets: Targets = targetsOf(), over: Partial<PageState> = {}): PageState => ({
  targets,
  version: 1,
  reload,
  wallOffset: 0,
  ...over,
});

/** Every family of a page with one target, in order: the target's and the exporter's own. */
export const familiesOn = (target: Target, now = noon): readonly Family[] => [
  ...familiesOf(sources, target, now, 0),
  ...ownFamilies(build, reload),
];

export const layout = layoutOf(sources);

/** The text of a contribution. */
export const textOf = async (contribution: Contribution, of: Layout = layout, format: Format = 'text'): Promise<string> =>
  Buffer.from(await joinedBytes(join(of, format, [contribution], []))).toString();

/** The text that a target contributes to a page. */
export const contributed = async (target: Target, now = noon, format: Format = 'text', wallOffset = 0): Promise<string> =>
  textOf(contributionOf(layout, target, now, wallOffset), layout, format);

/** The bytes of a body, buffered or streamed. */
export const bytesOf = (body: Reply['body']): Buffer =>
  typeof body === 'object' && 'chunks' in body
    ? Buffer.concat(Array.from(body.chunks(), (chunk) => Buffer.from(chunk)))
    : Buffer.from(body);

/** The series of the target alone, as on the page. */
export const seriesOf = async (state: TargetState, now = noon): Promise<readonly Series[]> =>
  parseExposition(await contributed(judged(state, now), now), 'text').flatMap(({ series }) => series);

const spelled = ({ name, labels }: Series): string => {
  const inner = Array.from(labels, ([label, value]) => `${label}="${value}"`).join(',');
  return inner === '' ? name : `${name}{${inner}}`;
};

/** Series -> value, such as `up{target="node"}` without the prefix, of the families with this prefix. */
export const samples = async (state: TargetState, family: string, now = noon): Promise<Record<string, number>> => {
  const series = (await seriesOf(state, now)).filter(({ name }) => name.startsWith(`snowgauge_${family}`));
  return Object.fromEntries(series.map((one) => [spelled(one).slice('snowgauge_'.length), one.value]));
};
