// Every row of the truth table, caused between an embedded node and the exporter, and read as Kubernetes, Prometheus and
// people read it: from the probe paths, the metrics page and /api/v1/history, all over sockets. A run of the suites alone has one row
// for each combination of conditions.

import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { drawnByResult } from '../support/cases.ts';
import { type Drill, startDrill, tagSets } from '../support/drill.ts';
import { parseExposition, type Series } from '../support/exposition-parser.ts';
import { told, transitionsSchema } from '../support/told.ts';
import { valuesOf } from '../support/watching.ts';
import type { Situation } from './situation.ts';
import { situations } from './situations.ts';

/** Seconds of a healthy node before the fault, ending between two of its runs. */
const calm = 130;

const sets = tagSets.map(({ name }) => name);

const begin = async ({ wrongTag, healthCheckFrequency, young }: Situation): Promise<Drill> => {
  const misspelt = tagSets.map(({ name, tags }) => ({ name, tags: name === 'alpha' ? tags.map((tag) => `${tag}x`) : tags }));
  return startDrill({
    target: { ...(healthCheckFrequency !== undefined && { healthCheckFrequency }), ...(wrongTag && { tagSets: misspelt }) },
    ...(young && { rounds: 1 }),
  });
};

/** The number of records before the fault. */
const bringAbout = async (drill: Drill, situation: Situation): Promise<number> => {
  const { faults = [], seconds = 0, fromTheStart, play } = situation;
  if (fromTheStart !== true) await drill.run(calm);
  const records = fromTheStart === true ? 0 : drill.watching().eventHistory.records().length;
  await drill.setFaults(faults);
  if (fromTheStart === true && faults.length > 0) drill.restartExporter();
  await drill.run(seconds);
  await play?.(drill);
  return records;
};

const statusSchema = z.object({
  targets: z.array(
    z.object({
      tagSets: z.array(z.object({ name: z.string(), conditions: z.array(z.object({ type: z.string(), status: z.string() })) })),
    }),
  ),
});

const healthOf = async (url: string): Promise<string | undefined> => {
  const { targets } = statusSchema.parse(await (await fetch(`${url}/api/v1/status`)).json());
  const whole = targets[0]?.tagSets.find(({ name }) => name === 'all');
  return whole?.conditions.find(({ type }) => type === 'Healthy')?.status;
};

const said = async (url: string): Promise<{ readonly conditions: Readonly<Record<string, unknown>>; readonly why: string }> => {
  const ask = async (path: string): Promise<string> => {
    const response = await fetch(`${url}/targets/node/${path}`);
    const body = await response.text();
    const [word = ''] = body.split(' ');
    const isOk = word === 'True' || (word === 'Unknown' && !path.startsWith('readyz'));
    expect(`${path} ${response.status}`).toBe(`${path} ${isOk ? 200 : 503}`);
    return body;
  };
  const word = async (path: string): Promise<string> => (await ask(path)).split(' ')[0] ?? '';
  const ready = await Promise.all(sets.map(async (name) => [name, await word(`readyz/${name}`)] as const));
  expect(await ask('readyz')).toBe(await ask('readyz/all'));
  const healthy = await healthOf(url);
  const conditions = { started: await word('startupz'), healthy, ...Object.fromEntries(ready), live: await word('livez') };
  return { conditions, why: await ask('readyz') };
};

/** The values of `name{label=value,…}` on the page; the name without its prefix. */
const sampled = (page: readonly Series[], sample: string): readonly number[] => {
  const [name = '', list = ''] = sample.replace('}', '').split('{');
  const labels = list.split(',').filter(Boolean);
  return valuesOf(page, `snowgauge_${name}`, Object.fromEntries(labels.map((label) => label.split('='))));
};

describe('the truth table', { timeout: 600_000 }, () => {
  const rows = drawnByResult(situations, ({ conditions }) => conditions);
  test.each(rows)('$situation', async (situation) => {
    const drill = await begin(situation);
    const before = await bringAbout(drill, situation);
    const { url } = await drill.watching().serve();

    const { conditions, why } = await said(url);
    expect(conditions).toEqual(situation.conditions);
    expect(why).toContain(situation.says);

    const metrics = await (await fetch(`${url}/metrics`)).text();
    const page = parseExposition(metrics, 'text').flatMap(({ series }) => series);
    for (const [sample, value] of Object.entries(situation.samples)) {
      const near = sampled(page, sample).map((one) => (Math.abs(one - value) <= 0.001 * Math.abs(value) ? value : one));
      expect(`${sample} ${near}`).toBe(`${sample} ${value}`);
    }
    for (const family of situation.absent ?? []) expect(`${family} ${sampled(page, family)}`).toBe(`${family} `);

    const transitions = await (await fetch(`${url}/api/v1/history?limit=1000`)).json();
    expect(told(transitionsSchema.parse(transitions).records.slice(before))).toEqual(
      situation.events.map((line) => (typeof line === 'string' ? line : expect.stringMatching(line))),
    );
  });
});
