// The settings of a target are declared once, and each has the declared effect on a reload.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { configurationDoc } from '../../scripts/docs/configuration.ts';
import { createBudget } from '../../src/client/budget.ts';
import { createLookups } from '../../src/client/lookup.ts';
import { targetMaker } from '../../src/commands/targets.ts';
import { parseConfig } from '../../src/config/load.ts';
import { changeOf, type TargetConfig, targetFrom } from '../../src/config/target.ts';
import { type ReloadEffect, reloads, row, type TargetSettings } from '../../src/config/target-setting.ts';
import { targetSettings } from '../../src/config/target-settings.ts';
import { type ExporterTarget, startExporter } from '../../src/exporter.ts';
import { silentLog } from '../../src/log.ts';
import { dnsLabel } from '../../src/protocol/scalars.ts';

type Name = keyof typeof targetSettings;
type Given = NonNullable<Parameters<typeof targetFrom>[0]>;

const folder = mkdtempSync(join(tmpdir(), 'snowgauge-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));
const token = join(folder, 'token');
writeFileSync(token, 'a-token');
const ca = fileURLToPath(new URL('../fixtures/tls/ca.crt', import.meta.url));

/** A value other than the default for every setting; a new setting that is missing here does not compile. */
const changed = {
  name: 'other',
  url: 'http://127.0.0.1:9750',
  labels: { region: 'eu-1' },
  healthCheckFrequency: '45s',
  timeout: '3s',
  maxReportSize: '64KiB',
  maxBodySize: '1MiB',
  staleAfter: 4,
  frozenAfter: 4,
  tagSets: [{ name: 'all' }, { name: 'l1', tags: ['a'] }],
  indexes: ['X/tx'],
  info: false,
  validator: { expected: true },
  nodeId: 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg',
  readiness: { failAfter: 3 },
  liveness: { frozenAfter: 30 },
  tls: { caFile: ca },
  authorization: { credentialsFile: token },
  headers: { 'X-Scope': '7' },
} as const satisfies Required<Given>;

const rows = Object.entries(targetSettings).map(([name, { reload }]) => ({ name, reload }));
const names = (reload: ReloadEffect): readonly string[] => rows.filter((one) => one.reload === reload).map(({ name }) => name);

const isName = (name: string): name is Name => name in changed;
// TLS requires https.
const base: Given = { url: 'https://127.0.0.1:9650' };
const withChange = (name: string): TargetConfig => targetFrom(isName(name) ? { ...base, [name]: changed[name] } : base);

const { lookup } = createLookups();

/** Reloads a running exporter with one changed setting, before its first poll. */
const reloaded = async (name: string) => {
  const stop = new AbortController();
  const make = targetMaker('snowgauge/test', () => 0, { budget: createBudget(), lookup, onClosed: () => undefined });
  const made = (target: TargetConfig): readonly ExporterTarget[] => {
    const targets = make([target]);
    if (targets.kind === 'invalid') throw new Error(JSON.stringify(targets.errors));
    return targets.value;
  };
  const [before, after] = [targetFrom(base), withChange(name)];
  const [first, second] = [made(before), made(after)];
  const exporter = startExporter(first, { now: () => 1_800_000_000, log: silentLog, signal: stop.signal });
  const was = exporter.targets.get('node');
  const replaced = exporter.replace(second);
  const is = exporter.targets.get(after.options.name);
  stop.abort();
  await exporter.finished;
  return { before, after, was, is, replaced, isSameClient: first[0]?.client === second[0]?.client };
};

const nothing = { added: [], removed: [], reset: [], kept: [] };

describe('on a reload, a changed', () => {
  test('name removes the target and adds another', async () => {
    expect((await reloaded('name')).replaced).toEqual({ ...nothing, added: ['other'], removed: ['node'] });
  });

  test.each(names('reset').filter((name) => name !== 'name'))('%s resets the target', async (name) => {
    const { before, after, was, is, replaced } = await reloaded(name);
    expect(changeOf(before.options, after.options)).toBe('reset');
    expect(replaced).toEqual({ ...nothing, reset: ['node'] });
    expect(is?.state.sources).not.toBe(was?.state.sources);
    expect(is?.state.options).toEqual(after.options);
  });

  test.each(names('adjust'))('%s keeps the state and client and polls what is new', async (name) => {
    const { before, after, was, is, replaced, isSameClient } = await reloaded(name);
    expect(changeOf(before.options, after.options)).toBe('adjust');
    expect(replaced).toEqual({ ...nothing, kept: ['node'] });
    expect(is?.state.options).toEqual(after.options);
    expect(is?.state.interval).toBe(was?.state.interval);
    expect(is?.state.sources.readiness).toBe(was?.state.sources.readiness);
    expect(isSameClient).toBe(true);
  });

  test.each(names('apply'))('%s applies at once and keeps state and client', async (name) => {
    const { before, after, was, is, replaced, isSameClient } = await reloaded(name);
    expect(after.options).not.toEqual(before.options);
    expect(changeOf(before.options, after.options)).toBe('apply');
    expect(replaced).toEqual({ ...nothing, kept: ['node'] });
    expect(is?.state).toEqual({ ...was?.state, options: after.options });
    expect(is?.state.sources).toBe(was?.state.sources);
    expect(isSameClient).toBe(true);
  });

  test.each(names('reconnect'))('%s replaces the client and keeps the state', async (name) => {
    const { before, after, was, is, replaced, isSameClient } = await reloaded(name);
    expect(changeOf(before.options, after.options)).toBe('none');
    expect(replaced).toEqual({ ...nothing, kept: ['node'] });
    expect(is).toBe(was);
    expect(isSameClient).toBe(false);
  });
});

test('every setting of a target is in the table with exactly one reload effect', async () => {
  const unknown = await parseConfig('targets: [{ name: a, url: "http://a", colour: red }]', {});
  const said = unknown.kind === 'invalid' ? unknown.errors.map(({ message }) => message).join() : '';
  expect(said).toBe(`unknown key: expected one of ${rows.map(({ name }) => name).join(', ')}`);
  expect(Object.keys(reloads).flatMap((word) => rows.filter(({ reload }) => reload === word))).toHaveLength(rows.length);
});

test('a setting without a reload effect does not compile', () => {
  // @ts-expect-error: the word is missing
  const made = (): unknown => row({ description: 'A name.' }, dnsLabel);
  // @ts-expect-error: a bare schema has none
  const table: TargetSettings = { name: dnsLabel };
  expect([made, table]).toHaveLength(2);
});

test('docs/configuration.md lists the reload effect of each setting', () => {
  const lines = configurationDoc().split('\n');
  const said = rows.map(({ name }) => {
    const line = lines.find((one) => new RegExp(`^\\| \`targets\\[\\]\\.${name}[\`.]`).test(one));
    return { name, reload: line?.split(/(?<!\\) \| /)[3] };
  });
  expect(said).toEqual(rows);
});

test('docs/reload.md lists every setting, and each row has settings with the same effect', () => {
  const doc = readFileSync(new URL('../../docs/reload.md', import.meta.url), 'utf8');
  const cells = [...doc.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].flatMap(([, name = '']) => (isName(name) ? [name] : [])),
  );
  for (const cell of cells) expect(new Set(cell.map((name) => targetSettings[name].reload)).size).toBeLessThanOrEqual(1);
  // A changed name is another target, which has its own row.
  expect(['name', ...cells.flat()].toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});

test('frozenAfter is at least two check intervals: a limit of one would pass before each poll', () => {
  expect(() => targetFrom({ frozenAfter: 1 })).toThrow('must be an integer from 2 to 1000');
  expect(targetFrom({ frozenAfter: 2 }).options.frozenAfter).toBe(2);
});

test('without a file every setting has its default', async () => {
  const parsed = await parseConfig('', {});
  expect(parsed.kind === 'ok' ? parsed.value.targets : []).toEqual([targetFrom()]);
  expect(() => targetFrom({ timeout: '1h' })).toThrow();
});
