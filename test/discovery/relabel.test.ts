// Compares relabeling with a real Prometheus: the same rules applied to its discovered labels must give its target labels.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/load.ts';
import { type Relabeling, relabelActions } from '../../src/config/relabeling.ts';
import { relabelWith } from '../../src/discovery/relabel.ts';
import { freePort } from '../support/free-port.ts';
import { describeWith } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { cases, labels } from './relabel-cases.ts';

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const asPrometheus = (rule: Relabeling): object =>
  Object.fromEntries(Object.entries(rule).map(([name, value]) => [snake(name), value]));

test('every action has a case', () => {
  expect(new Set(cases.flatMap(({ rules }) => rules.map(({ action }) => action)))).toEqual(new Set(relabelActions));
});

type LabelMap = Readonly<Record<string, string>>;
interface Targets {
  readonly activeTargets: readonly { readonly discoveredLabels: LabelMap; readonly labels: LabelMap }[];
  readonly droppedTargets: readonly { readonly discoveredLabels: LabelMap }[];
}

describeWith(['prometheus3'], 'relabeling gives the same labels as Prometheus', (prometheus) => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-relabel-'));
  let stop: () => Promise<void> = () => Promise.resolve();
  let targets: Targets = { activeTargets: [], droppedTargets: [] };

  beforeAll(async () => {
    const port = await freePort();
    const jobs = cases.map((one, at) => ({
      job_name: `case-${at}`,
      static_configs: [{ targets: ['127.0.0.1:1'], labels: { ...labels, ...one.labels } }],
      relabel_configs: one.rules.map(asPrometheus),
    }));
    const config = join(folder, 'prometheus.yml');
    // JSON is YAML.
    writeFileSync(config, JSON.stringify({ global: { scrape_interval: '1h' }, scrape_configs: jobs }));
    const args = [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    const child = spawn(prometheus, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-5000);
    });
    const exited = once(child, 'exit');
    stop = async () => {
      child.kill('SIGKILL');
      await exited;
    };
    targets = await until('Prometheus to have discovered everything', async () => {
      if (child.exitCode !== null) throw new Error(said);
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/targets`).catch(() => undefined);
      if (response?.ok !== true) return undefined;
      const { data } = (await response.json()) as { readonly data: Targets };
      return data.activeTargets.length + data.droppedTargets.length === cases.length && data;
    });
  }, 120_000);
  afterAll(async () => {
    await stop();
    rmSync(folder, { recursive: true });
  });

  test.each(cases.map((one, at) => ({ ...one, job: `case-${at}` })))('$title', async ({ rules, job, labels: given }) => {
    const ofJob = (one: { readonly discoveredLabels: LabelMap }): boolean => one.discoveredLabels.job === job;
    const [active, dropped] = [targets.activeTargets.find(ofJob), targets.droppedTargets.find(ofJob)];
    const relabel = await relabelWith(rules);
    const discovered = Object.entries((active ?? dropped)?.discoveredLabels ?? {});
    // Prometheus sets this label itself if the list does not.
    const listed = discovered.filter(([name]) => name !== '__scheme__' || given?.__scheme__ !== undefined);
    const made = relabel(new Map(listed));
    // Prometheus does this after relabeling.
    const shown =
      made && [['instance', made.get('__address__') ?? ''] as const, ...made].filter(([name]) => !name.startsWith('__'));
    expect(shown && Object.fromEntries(shown)).toEqual(active?.labels);
  });
});

test('reports each invalid expression with its line, beside all other errors', async () => {
  const rules = ['action: labelmap, regex: "("', 'action: keep, sourceLabels: [a], regex: "(?=a)"', 'action: labelmap, regex: 7'];
  const text = rules.map((one) => `        - { ${one} }\n`).join('');
  const read = await parseConfig(`discovery:\n  file:\n    - files: [/a.json]\n      relabelings:\n${text}  dns: 3\n`, {});
  expect(read.kind === 'ok' ? [] : read.errors).toEqual([
    { line: 5, path: 'discovery.file[0].relabelings[0].regex', message: 'is not an RE2 expression: missing closing )' },
    expect.objectContaining({ line: 6, path: 'discovery.file[0].relabelings[1].regex' }),
    expect.objectContaining({ line: 7, path: 'discovery.file[0].relabelings[2].regex' }),
    expect.objectContaining({ line: 8, path: 'discovery.dns' }),
  ]);
});

test('matches an expression with exponential backtracking quickly, with the longest label value', async () => {
  const relabel = await relabelWith([{ action: 'drop', sourceLabels: ['a'], regex: '(a|aa)+b' }]);
  expect(relabel(new Map([['a', 'a'.repeat(16 * 1024)]]))?.has('a')).toBe(true);
});

test('supports a group in braces in a replacement, and capitalized actions as of the Prometheus Operator', async () => {
  const rule = { action: 'Replace', sourceLabels: ['__address__'], regex: '(.*):1', targetLabel: '__address__' };
  const relabelings = [{ ...rule, replacement: ['$', '{1}0:9650'].join('') }];
  const read = await parseConfig(JSON.stringify({ discovery: { file: [{ files: ['/a.json'], relabelings }] } }), {});
  const rules = read.kind === 'ok' ? (read.value.discovery.file[0]?.relabelings ?? []) : [];
  expect((await relabelWith(rules))(new Map([['__address__', '10.0.0.1:1']]))?.get('__address__')).toBe('10.0.0.10:9650');
});

describe('validation of a relabeling', () => {
  const errorsOf = async (rule: object): Promise<readonly string[]> => {
    const read = await parseConfig(JSON.stringify({ discovery: { file: [{ files: ['/a.json'], relabelings: [rule] }] } }), {});
    return read.kind === 'ok' ? [] : read.errors.map(({ path, message }) => `${path}: ${message}`);
  };
  const at = 'discovery.file[0].relabelings[0]';

  test.each([
    { rule: { action: 'hashmod', targetLabel: 'a' }, errors: [`${at}: has the action hashmod, which needs modulus`] },
    { rule: { action: 'labelmap', replacement: '' }, errors: [`${at}.replacement: "" is not the name of a label`] },
    { rule: { sourceLabels: ['a'] }, errors: [`${at}: has the action replace, which needs targetLabel`] },
    {
      rule: { action: 'labeldrop', regex: 'a', sourceLabels: ['a'] },
      errors: [`${at}.sourceLabels: has no effect with the action labeldrop: leave it out`],
    },
    {
      rule: { action: 'keep', sourceLabels: ['a'], regex: 'a(?=b)' },
      errors: [expect.stringMatching(/^discovery\.file\[0\]\.relabelings\[0\]\.regex: is not an RE2 expression: /)],
    },
    { rule: { action: 'keep', sourceLabels: ['a'], regex: 'a.*' }, errors: [] },
  ])('$rule', async ({ rule, errors }) => {
    expect(await errorsOf(rule)).toEqual(errors);
  });
});
