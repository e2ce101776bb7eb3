// Runs promtool on the rules: syntax, every case of every alert, and situations in which no alert may fire except those expected.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { alerts } from '../../src/rules/alerts.ts';
import { ruleGroups, rulesYaml } from '../../src/rules/file.ts';
import { defaults } from '../../src/rules/settings.ts';
import { inFolder } from '../support/chart.ts';
import { describeWith } from '../support/tools.ts';
import { addressWorlds } from './address-worlds.ts';
import type { Fires, Quiet, Situation } from './case.ts';
import { fires, quiet } from './cases.ts';
import { chainWorlds } from './chain-worlds.ts';
import { fleetWorlds } from './fleet-worlds.ts';
import { identityWorlds } from './identity-worlds.ts';
import { lastingWorlds } from './lasting-worlds.ts';
import { maintenanceWorlds } from './maintenance-worlds.ts';
import { caseFiles, rulesFor, situationFile } from './promtool.ts';
import { removalWorlds } from './removal-worlds.ts';
import { complaints, run } from './run-promtool.ts';
import { sdWorlds } from './sd-worlds.ts';
import { shardWorlds } from './shard-worlds.ts';
import { situations } from './situations.ts';
import { validatorWorlds } from './validator-worlds.ts';
import { worlds } from './worlds.ts';

const shipped = ['snowgauge', 'snowgauge-node-metrics'].map((name) =>
  fileURLToPath(new URL(`../../deploy/prometheus/${name}.rules.yaml`, import.meta.url)),
);
const timeout = 600_000;
// One promtool per core.
vi.setConfig({ maxConcurrency: 2 });

const kinds = [
  situations,
  worlds,
  addressWorlds,
  chainWorlds,
  fleetWorlds,
  identityWorlds,
  lastingWorlds,
  maintenanceWorlds,
  removalWorlds,
  shardWorlds,
  sdWorlds,
  validatorWorlds,
];
/** Three situations, because each takes a second or more of CPU. */
export const someSituations: readonly Situation[] = [situations, identityWorlds, shardWorlds].flatMap((kind) => kind.slice(0, 1));
export const otherSituations: readonly Situation[] = kinds.flat().filter((one) => !someSituations.includes(one));

const allCases: readonly Case[] = [...fires, ...quiet];
/** For each alert, one case in which it fires and one in which it does not. */
export const someCases: readonly Case[] = alerts.flatMap(({ name }) =>
  [fires, quiet].flatMap((all: readonly Case[]) => all.filter(({ alert }) => alert === name).slice(0, 1)),
);
/** For each alert, the case in which it fires, so that every series of its expression exists. */
export const firingCases: readonly Case[] = someCases.filter((one) => 'at' in one);
export const otherCases: readonly Case[] = allCases.filter((one) => !someCases.includes(one));

type Tool = 'promtool' | 'promtool3';
type Case = Fires | Quiet;

export const casesSuite = (tool: Tool, asked: readonly Case[]): void =>
  describeWith([tool], tool, (promtool) => {
    test('accepts the syntax of the rules', { timeout }, async () => {
      const { code, output } = await run(promtool, ['check', 'rules', '--lint=all', '--lint-fatal', ...shipped]);
      expect({ code, failed: /FAILED|error/i.test(output) ? output : '' }).toEqual({ code: 0, failed: '' });
      expect(output.match(/SUCCESS: [1-9]\d* rules found/g)).toHaveLength(shipped.length);
    });

    test.concurrent.each(alerts.filter(({ name }) => asked.some(({ alert }) => alert === name)))(
      '$name fires and keeps quiet as in its cases',
      { timeout },
      ({ name }) =>
        inFolder(async (folder) => {
          const cases = asked.filter(({ alert }) => alert === name);
          for (const set of new Set(cases.map((one) => one.set))) {
            const groups = rulesFor([name], set);
            const ruleFile = join(folder, 'rules.yaml');
            await writeFile(ruleFile, rulesYaml(groups));
            const own = cases.filter((one) => one.set === set);
            expect(await complaints(promtool, folder, caseFiles(ruleFile, groups, own))).toBe('');
          }
        }),
    );
  });

/** The shipped rules, or those of `snowgauge rules --without`. */
const filesOf = async ({ without }: Situation, folder: string): Promise<readonly string[]> => {
  if (without === undefined) return shipped;
  const file = join(folder, 'rules.yaml');
  await writeFile(file, rulesYaml(ruleGroups(defaults, 'main', without)));
  return [file, ...shipped.slice(1)];
};

export const situationsSuite = (tool: Tool, asked: readonly Situation[]): void =>
  describeWith([tool], tool, (promtool) => {
    test.concurrent.each(asked)('when $title, exactly the expected alerts fire', { timeout }, (situation) =>
      inFolder(async (folder) => {
        expect(await complaints(promtool, folder, [situationFile(await filesOf(situation, folder), situation)])).toBe('');
      }),
    );

    test('reports a case with a wrong expectation', { timeout }, async () => {
      const [one] = situations;
      const claim = one === undefined ? [] : [situationFile(shipped, { ...one, steps: 2, fires: { 'TargetDown target': 1 } })];
      await inFolder(async (folder) => {
        expect(await complaints(promtool, folder, claim)).toContain('SnowgaugeTargetDown');
      });
    });
  });
