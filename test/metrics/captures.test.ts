// Every captured health report of a real node: none is rejected, and every number in it is on the page exactly once,
// however many tag sets there are. The numbers are counted here in the plain JSON, independently of the tables that render the
// page.

import { describe, expect, test } from 'vitest';
import { clientOf, never } from '../support/asking.ts';
import { capturedReports } from '../support/captures.ts';
import type { Series } from '../support/exposition-parser.ts';
import { seriesOf } from '../support/metrics.ts';
import { parseHealthReport } from '../support/reports.ts';
import { serveAnswer } from '../support/serve.ts';
import { fresh, noon, targetKnowing, targetOptions } from '../support/snapshot.ts';

const reports = capturedReports();

const units: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 1e-3, µs: 1e-6, ns: 1e-9 };

const seconds = (text: string): number | undefined => {
  if (!/^-?([0-9.]+(h|ms|m|s|µs|ns))+$/.test(text)) return undefined;
  return [...text.matchAll(/([0-9.]+)(h|ms|m|s|µs|ns)/g)].reduce(
    (sum, [, n, unit]) => sum + Number(n) * (units[unit ?? ''] ?? 0),
    0,
  );
};

/** Of the timestamps in messages, only those of network upgrades are on the page; the epoch means no upgrade. */
const upgradeAt = (text: string, path: readonly string[]): number | undefined => {
  const at = path.at(-1)?.endsWith('UpgradeTime') === true ? Date.parse(text) / 1000 : 0;
  return at > 0 ? at : undefined;
};

/** Every number and duration of a message by its path; for arrays, their length. */
const numbersOf = (value: unknown, path: readonly string[] = []): readonly (readonly [path: string, value: number])[] => {
  if (typeof value === 'number') return [[path.join('.'), value]];
  if (typeof value === 'string') {
    const number = seconds(value) ?? upgradeAt(value, path);
    return number === undefined ? [] : [[path.join('.'), number]];
  }
  if (Array.isArray(value)) return [[`${path.join('.')}[]`, value.length]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => numbersOf(inner, [...path, key]));
};

const field = (check: unknown, name: string): unknown =>
  typeof check === 'object' && check !== null ? Reflect.get(check, name) : undefined;

const instant = (value: unknown): number | undefined =>
  typeof value === 'string' && !value.startsWith('0001') ? Date.parse(value) / 1000 : undefined;

/** The number in the JSON for families whose value is converted. */
const onTheWire = ({ name, value }: Series, ranAt: number): number => {
  if (name === 'snowgauge_disk_available_ratio') return value * 100;
  return /_last_message_(received|sent)_timestamp_seconds$/.test(name) ? ranAt - value : value;
};

const ofMessage = /^snowgauge_(network|chain|disk|router|bootstrapping|upgrade|check_message)_/;
const checkOf: Readonly<Record<string, string>> = {
  network: 'network',
  disk: 'diskspace',
  router: 'router',
  bootstrapping: 'bootstrapped',
  upgrade: 'futureupgrade',
};

const belongsTo = (check: string, { name, labels }: Series): boolean => {
  const part = ofMessage.exec(name)?.[1] ?? '';
  return check === (labels.get('check') ?? labels.get('chain') ?? checkOf[part]);
};

const ofTagSets: ReadonlySet<string> = new Set(
  ['health_healthy', 'tag_set_check_info', 'tag_set_failing_checks', 'tag_known', 'target_condition'].map(
    (name) => `snowgauge_${name}`,
  ),
);

/** The tag sets that the check counts for. */
const memberships = (series: readonly Series[], check: string): readonly (string | undefined)[] =>
  series
    .filter(({ name, labels }) => name === 'snowgauge_tag_set_check_info' && labels.get('check') === check)
    .map(({ labels }) => labels.get('tag_set'));

const sorted = (numbers: readonly number[]): readonly string[] => numbers.map((one) => one.toPrecision(9)).sort();

test('there are reports of four states of the node, and the protocol accepts all of them', () => {
  expect(reports.length).toBeGreaterThanOrEqual(57);
  expect(new Set(reports.map(({ name }) => name.split('/')[0])).size).toBe(4);
  for (const { report } of reports) expect(parseHealthReport(report).checks.size).toBe(Object.keys(report.checks).length);
});

const otherId = expect.objectContaining({ kind: 'malformed', reason: 'id: must be 1, as in the request' });

test.each(reports)('the client returns $name unchanged', async ({ report, status, body, isRpc }) => {
  const node = await serveAnswer(status, body);
  const client = clientOf(node.url);
  const { outcome } = isRpc ? await client.rpc('health.health', {}, never) : await client.health([], never);
  client.close();
  await node.close();
  // It was captured with another request id.
  const isOther = isRpc && JSON.parse(body).id !== 1;
  expect(outcome).toEqual(isOther ? otherId : { kind: 'ok', value: parseHealthReport(report) });
});

describe.each(reports)('$name', ({ report }) => {
  const options = targetOptions({
    tagSets: [
      { name: 'all', tags: [] },
      { name: 'l1', tags: ['2bRC'] },
    ],
  });
  const known = fresh(parseHealthReport(report));
  const target = targetKnowing(options, { health: { all: known, l1: known } });

  test('has every number on the page exactly once, although two tag sets report it', async () => {
    const series = await seriesOf(target);
    const ofCheck = (name: string, check: string) =>
      series
        .filter((one) => one.name === `snowgauge_check_${name}` && one.labels.get('check') === check)
        .map(({ value }) => value);

    for (const [name, check] of Object.entries(report.checks)) {
      const ranAt = instant(field(check, 'timestamp'));
      expect(ofCheck('healthy', name)).toEqual([field(check, 'error') === undefined ? 1 : 0]);
      expect(ofCheck('duration_seconds', name)).toEqual([Number(field(check, 'duration')) / 1e9]);
      expect(ofCheck('contiguous_failures', name)).toEqual([field(check, 'contiguousFailures') ?? 0]);
      expect(ofCheck('last_run_timestamp_seconds', name).map(Math.floor)).toEqual(ranAt === undefined ? [] : [Math.floor(ranAt)]);
      const firstFailure = instant(field(check, 'timeOfFirstFailure'));
      expect(ofCheck('first_failure_timestamp_seconds', name).map(Math.floor)).toEqual(
        firstFailure === undefined ? [] : [Math.floor(firstFailure)],
      );

      expect(memberships(series, name)).toEqual(['all', 'l1']);

      const said = numbersOf(field(check, 'message')).map(([, value]) => value);
      const shown = series.filter((one) => ofMessage.test(one.name) && belongsTo(name, one));
      expect(sorted(shown.map((one) => onTheWire(one, ranAt ?? 0)))).toEqual(sorted(said));
    }
  });

  test('has the label tag_set only on families of tag sets', async () => {
    const labelled = (await seriesOf(target)).filter(({ labels }) => labels.has('tag_set'));
    expect(labelled.map(({ name }) => name).filter((name) => !ofTagSets.has(name))).toEqual([]);
    const failing = Object.values(report.checks).filter((check) => field(check, 'error') !== undefined).length;
    const counted = labelled.filter(({ name }) => name === 'snowgauge_tag_set_failing_checks');
    expect(counted.map(({ value }) => value)).toEqual([failing, failing]);
  });

  test('has no NaN, no timestamp of year 1 and no error text on the page', async () => {
    const series = await seriesOf(target);
    for (const { value } of series) expect(value).not.toBeNaN();
    for (const { name, value } of series) if (name.endsWith('_timestamp_seconds')) expect(value).toBeGreaterThan(1e9);
    const page = JSON.stringify(series.map(({ labels }) => [...labels.values()]));
    for (const check of Object.values(report.checks)) {
      const error = field(check, 'error');
      if (typeof error === 'string' && error !== '') expect(page).not.toContain(error);
    }
  });

  test('is not on the page when it is stale', async () => {
    const series = await seriesOf(target, noon + 1000);
    expect(series.filter(({ labels }) => labels.has('check') || labels.has('chain'))).toEqual([]);
  });
});
