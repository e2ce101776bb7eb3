// There is one runbook per alert with the required sections, and its commands and metrics exist.

import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runProgram } from '../../src/commands/program.ts';
import { silentLog } from '../../src/log.ts';
import { definitions } from '../../src/metrics/families.ts';
import { alerts } from '../../src/rules/alerts.ts';
import { recordings } from '../../src/rules/recordings.ts';
import { inFolder } from '../support/chart.ts';
import { codeBlocks, sections } from '../support/markdown.ts';
import { roundsToSettle, startTestNode } from '../support/node.ts';
import { runTool } from '../support/run-tool.ts';
import { describeWith } from '../support/tools.ts';

const folder = new URL('../../docs/runbooks/', import.meta.url);
const files = readdirSync(folder).filter((name) => name !== 'README.md');
const read = (file: string): string => readFileSync(new URL(file, folder), 'utf8');

test('every alert has a runbook, and every runbook an alert', () => {
  expect(files.sort()).toEqual(alerts.map(({ name }) => `${name}.md`).sort());
});

test.each([...files, 'README.md'])(
  '%s needs no shell in the image, and its jq filters accept a target without checks',
  (file) => {
    expect(read(file)).not.toMatch(/kubectl exec [^`]/);
    // `checks` of a target that is down is `null`: without the question mark jq fails and skips the targets after it.
    expect(read(file)).not.toMatch(/tagSets\[\]\.checks\[\](?!\?)/);
  },
);

test.each(files)('%s uses only variables that the README explains or that it sets itself', (file) => {
  const code = codeBlocks(read(file), 'sh').join('\n');
  const used = Array.from(code.matchAll(/\$\{?([A-Z_]+)/g), ([, name = '']) => name);
  const index = read('README.md');
  expect(used.filter((name) => !index.includes(`\`${name}\``) && !code.includes(`${name}=`))).toEqual([]);
  // Each of these is a whole URL.
  expect(code).not.toMatch(/:\/\/(?:NODE|OTHER|EXPORTER)\b/);
});

describeWith(['promtool'], 'promtool', (promtool = '') => {
  test('parses each query of the runbooks', async () => {
    const queries = files.flatMap((file) => codeBlocks(read(file), 'promql').map((expr) => ({ file, expr })));
    const groups = queries.map(({ file, expr }, at) => ({ name: `${file} ${at}`, rules: [{ record: `runbook:q${at}`, expr }] }));
    await inFolder(async (own) => {
      const rules = join(own, 'queries.yaml');
      await writeFile(rules, JSON.stringify({ groups }));
      expect(await runTool(promtool, ['check', 'rules', rules])).toContain(`${queries.length} rules found`);
    });
  });
});

describeWith(['curl'], 'the request of SnowgaugeIndexOff', () => {
  test.each([
    { indexEnabled: true, is: 'on', status: '405' },
    { indexEnabled: false, is: 'off', status: '404' },
  ])('gets $status if the index is $is, as the runbook says', async ({ indexEnabled, status }) => {
    const node = await startTestNode({ indexEnabled });
    await node.ticks(roundsToSettle);
    const text = read('SnowgaugeIndexOff.md');
    const [line = ''] = /^curl .*http_code.*$/m.exec(text) ?? [];
    expect(await runTool('sh', ['-c', line], { env: { ...process.env, NODE: node.url } })).toBe(`${status}\n`);
    expect(text).toContain(`${status}: the `);
  });
});

interface Line {
  readonly file: string;
  /** Words of a snowgauge command line, without `snowgauge`. */
  readonly words: readonly string[];
}

const ours = (file: string): readonly Line[] =>
  codeBlocks(read(file), 'sh').flatMap((block) =>
    Array.from(block.matchAll(/(?:^|; |\| )snowgauge ([^|;\n]*)/gm), ([, line]) => ({
      file,
      words: (line ?? '').trim().split(/\s+/),
    })),
  );

const helpOf = async (words: readonly string[]): Promise<{ readonly help: string; readonly code: number }> => {
  let help = '';
  let code = 0;
  const stdout = (text: string): void => {
    help += text;
  };
  await runProgram([...words, '--help'], {
    env: {},
    stdout,
    stderr: stdout,
    signal: new AbortController().signal,
    now: () => 0,
    version: '0',
    isTerminal: false,
    exit: (given) => {
      code = given;
    },
    log: silentLog,
  });
  return { help, code };
};

describe.each(files.map((file) => ({ file })))('$file', ({ file }) => {
  test('has meaning, impact, diagnosis and mitigation', () => {
    const found = sections(read(file));
    expect(found.map(({ heading }) => heading)).toEqual(['Meaning', 'Impact', 'Diagnosis', 'Mitigation']);
    for (const { text } of found) expect(text.length).toBeGreaterThan(40);
    expect(read(file).startsWith(`# ${file.replace('.md', '')}\n`)).toBe(true);
  });

  test('waits as long as its alert, in minutes written as digits', () => {
    const [meaning] = sections(read(file));
    const [alert] = alerts.filter(({ name }) => file === `${name}.md`);
    expect(meaning?.text).not.toMatch(/\b[Ff]or (?:five|ten|fifteen) minutes/);
    for (const [, minutes] of meaning?.text.matchAll(/\b[Ff]or (\d+) minutes/g) ?? []) expect(`${minutes}m`).toBe(alert?.for);
  });

  test('has commands and queries for the diagnosis', () => {
    expect(codeBlocks(read(file), 'sh').join('\n')).toMatch(/snowgauge |curl /);
    expect(codeBlocks(read(file), 'promql')).not.toEqual([]);
    // The job of a PodMonitor is its namespace and name, that of a ServiceMonitor the name of the Service.
    expect(codeBlocks(read(file), 'promql').join('\n')).not.toMatch(/\bjob="/);
  });

  test('names only existing families and recording rules', () => {
    const known = new Set<string>([...definitions.map(({ name }) => name), ...recordings.map(({ record }) => record)]);
    const named = read(file).match(/snowgauge[:_][a-z0-9_]+(?<!_)/g) ?? [];
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  test('uses only existing commands and flags', async () => {
    for (const { words } of ours(file)) {
      const [command = '', sub = ''] = words;
      const own = ['index', 'config'].includes(command) ? [command, sub] : [command];
      const { help } = await helpOf(own);
      expect(help).toContain(`Usage: snowgauge ${own.join(' ')}`);
      for (const flag of words.filter((word) => word.startsWith('--'))) expect(help).toContain(flag);
    }
  });
});
