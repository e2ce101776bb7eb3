// Debian's promtool and the current one read the rules: their syntax, every case of every alert, and every situation in which no
// alert may fire, run against all rules as they are shipped.

import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { alerts } from '../../src/rules/alerts.ts';
import { rulesYaml } from '../../src/rules/file.ts';
import { fires, quiet } from '../rules/cases.ts';
import { chainWorlds } from '../rules/chain-worlds.ts';
import { identityWorlds } from '../rules/identity-worlds.ts';
import { lastingWorlds } from '../rules/lasting-worlds.ts';
import { maintenanceWorlds } from '../rules/maintenance-worlds.ts';
import { caseFiles, rulesFor, situationFile } from '../rules/promtool.ts';
import { situations } from '../rules/situations.ts';
import { worlds } from '../rules/worlds.ts';
import { inFolder } from '../support/chart.ts';
import { describeWith } from '../support/tools.ts';

const shipped = ['snowgauge', 'snowgauge-node-metrics'].map((name) =>
  fileURLToPath(new URL(`../../deploy/prometheus/${name}.rules.yaml`, import.meta.url)),
);
const timeout = 600_000;
// One promtool for each of two cores: this file is the longest, and is still at it when all others have ended.
vi.setConfig({ maxConcurrency: 2 });

interface Said {
  readonly code: number | null;
  readonly output: string;
}

const run = (program: string, args: readonly string[]): Promise<Said> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const take = (chunk: string): void => {
      output += chunk;
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.on('error', reject).on('close', (code) => resolve({ code, output }));
  });

/** Writes each text as a file and has them tested; gives what promtool complains of. */
const complaints = async (promtool: string, folder: string, texts: readonly string[]): Promise<string> => {
  const files = texts.map((_, at) => join(folder, `${at}.test.yaml`));
  await Promise.all(texts.map((text, at) => writeFile(files[at] ?? '', text)));
  const { code, output } = await run(promtool, ['test', 'rules', ...files]);
  return code === 0 ? '' : `exit code ${code}: ${output}`;
};

const tools = [
  { tool: 'promtool', of: 'Debian' },
  { tool: 'promtool3', of: 'Prometheus 3' },
] as const;

for (const { tool, of } of tools) {
  describeWith([tool], `promtool of ${of}`, (promtool) => {
    test('has nothing to say of the rules', { timeout }, async () => {
      const { code, output } = await run(promtool, ['check', 'rules', '--lint=all', '--lint-fatal', ...shipped]);
      expect({ code, failed: /FAILED|error/i.test(output) ? output : '' }).toEqual({ code: 0, failed: '' });
      expect(output.match(/SUCCESS: [1-9]\d* rules found/g)).toHaveLength(shipped.length);
    });

    test.concurrent.each(alerts.map(({ name }) => ({ name })))(
      '$name fires and keeps quiet as its cases say',
      { timeout },
      ({ name }) =>
        inFolder(async (folder) => {
          const cases = [...fires, ...quiet].filter(({ alert }) => alert === name);
          for (const set of new Set(cases.map((one) => one.set))) {
            const groups = rulesFor(name, set);
            const ruleFile = join(folder, 'rules.yaml');
            await writeFile(ruleFile, rulesYaml(groups));
            const own = cases.filter((one) => one.set === set);
            expect(await complaints(promtool, folder, caseFiles(ruleFile, groups, own))).toBe('');
          }
        }),
    );

    test.concurrent.each([...situations, ...worlds, ...chainWorlds, ...identityWorlds, ...lastingWorlds, ...maintenanceWorlds])(
      'when $title, of all alerts only what is about it fires',
      { timeout },
      (situation) =>
        inFolder(async (folder) => {
          expect(await complaints(promtool, folder, [situationFile(shipped, situation)])).toBe('');
        }),
    );

    test('fails what is wrong: a case that claims too much is told', { timeout }, async () => {
      const [one] = situations;
      const claim = one === undefined ? [] : [situationFile(shipped, { ...one, fires: { 'TargetDown target': 1 } })];
      await inFolder(async (folder) => {
        expect(await complaints(promtool, folder, claim)).toContain('SnowgaugeTargetDown');
      });
    });
  });
}
