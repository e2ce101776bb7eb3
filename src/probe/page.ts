// The response of a probe: its metrics, or a trace for people.

import { contentTypes, endOf } from '../metrics/exposition.ts';
import { collect, flag, type Row } from '../metrics/family.ts';
import type { Chosen } from '../metrics/layout.ts';
import { type Format, render } from '../metrics/text.ts';
import { shownUrl } from '../protocol/node-url.ts';
import { debugText } from '../report/debug-text.ts';
import { debuggedOf } from '../report/debugged.ts';
import { conditionText, unpainted } from '../report/paint.ts';
import type { ProbeResult } from './probe.ts';
import type { ProbeQuery } from './query.ts';

/** The families about the probe itself, with the names that all multi-target exporters use. */
const probeRows: readonly Row<Pick<ProbeResult, 'success' | 'seconds'>>[] = [
  {
    name: 'probe_success',
    type: 'gauge',
    labels: [],
    unit: 'boolean',
    help: '1 if the node responded to every request of the probe in time, healthy or not.',
    source: 'the probe',
    value: ({ success }) => flag(success),
  },
  {
    name: 'probe_duration_seconds',
    type: 'gauge',
    labels: [],
    unit: 'seconds',
    help: 'Duration of the probe, including name resolution.',
    source: 'the probe',
    value: ({ seconds }) => seconds,
  },
];

interface ProbePage {
  readonly contentType: string;
  readonly body: string;
}

/** `chosen`: filters the families of the target. Those about the probe itself are always included. */
export const metricsPage = async (probed: ProbeResult, format: Format, chosen: Chosen): Promise<ProbePage> => {
  const ofTarget = probed.families.filter(({ definition }) => chosen(definition.name));
  const families = [...collect(probeRows, [probed], () => []), ...ofTarget];
  return { contentType: contentTypes[format], body: render(families, format) + endOf[format] };
};

/** The page contains no credentials and no bodies of responses. */
export const debugPage = async (
  { url, module, deadlineMs }: ProbeQuery,
  probed: ProbeResult,
  chosen: Chosen,
): Promise<ProbePage> => {
  const { state, conditions } = probed.target;
  const { started, live, ready, healthy } = conditions;
  const ofTagSets = (type: string, of: typeof ready) => Array.from(of, ([tagSet, one]) => [`${type} of ${tagSet}`, one] as const);
  const all = { started, live, ...Object.fromEntries([...ofTagSets('ready', ready), ...ofTagSets('healthy', healthy)]) };
  const metrics = await metricsPage(probed, 'text', chosen);
  const parts = [
    `module ${module.name}, at most ${deadlineMs / 1000} s\n`,
    debugText(debuggedOf(shownUrl(url), state, probed.traced), unpainted),
    conditionText(all, unpainted),
    metrics.body,
  ];
  return { contentType: 'text/plain; charset=utf-8', body: parts.join('\n') };
};
