// docs/compatibility.md: its versions are those installed for the tests, and every test that it names exists.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { kubernetesVersions } from '../support/chart.ts';
import { document } from '../support/documented.ts';
import { runTool } from '../support/run-tool.ts';
import { describeWith } from '../support/tools.ts';

const root = join(import.meta.dirname, '../..');
/** Several tools are built from this module. */
const programs = '.ci/tools/programs/go.mod';
const rows = document('docs/compatibility.md')
  .split('\n')
  .filter((line) => /^\| [^-|]/.test(line))
  .map((line) => {
    const [what = '', version = '', done = '', by = ''] = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
    return { what, version, done, by };
  });

/** The version of the first row that contains the words. */
const versionOf = (what: string, words: string): string | undefined =>
  rows.find((row) => row.what === what && `${row.version} ${row.done}`.includes(words))?.version;

/** All captures of the pattern in a file, in order. */
const found = (path: string, pattern: RegExp): readonly string[] =>
  Array.from(document(path).matchAll(pattern), ([, one = '']) => one);

test.each(rows)('$what $version: the named tests exist, or the row says that it was not run', ({ what, done, by }) => {
  const named = Array.from(by.matchAll(/`([^`]+)`/g), ([, path = '']) => path);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const everything = what === 'processor' && done === 'everything above';
  expect(named.length > 0 || /not run|not served/i.test(done) || everything).toBe(true);
});

const capturedVersions = (): readonly string[] => {
  const folder = join(root, 'test/fixtures/captures');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
  const texts = files.map((name) => readFileSync(join(folder, name), 'utf8'));
  return [...new Set(texts.flatMap((text) => Array.from(text.matchAll(/avalanchego\/(\d+\.\d+\.\d+)/g), ([, one = '']) => one)))];
};

describe('the table has the version', () => {
  test.each([
    { what: 'Helm', words: 'install', path: programs, pattern: /helm\.sh\/helm\/v3 v([\d.]+)/g },
    { what: 'Kustomize', words: 'overlays', path: programs, pattern: /kustomize\/kustomize\/v5 v([\d.]+)/g },
    { what: 'Prometheus Operator', words: 'operator', path: programs, pattern: /prometheus-operator v([\d.]+)/g },
    { what: 'Prometheus Operator', words: 'operator', path: '.ci/tools/chart.sh', pattern: /prometheus-operator v([\d.]+)/g },
    { what: 'Gateway API', words: 'HTTPRoute', path: '.ci/tools/chart.sh', pattern: /gateway-api v([\d.]+)/g },
    { what: 'Kubernetes', words: 'a whole one', path: programs, pattern: /k8s\.io\/kubernetes v([\d.]+)/g },
    { what: 'Alertmanager', words: 'drills', path: '.ci/tools/prometheus3.sh', pattern: /alertmanager v([\d.]+)/g },
    { what: 'Node.js in the image', words: 'pods', path: '.ci/tools/images.sh', pattern: /^node=([\d.]+)/gm },
  ])('of $what in $path', ({ what, words, path, pattern }) => {
    const installed = new Set(found(path, pattern));
    expect(installed.size).toBe(1);
    expect([versionOf(what, words)]).toEqual([...installed]);
  });

  test('of Prometheus in .ci/tools/prometheus3.sh, whose module v0.MMmm.p is release MM.mm.p', () => {
    const [, major, minor, patch] = /prometheus v0\.(\d)(\d\d)\.(\d+)/.exec(document('.ci/tools/prometheus3.sh')) ?? [];
    expect(versionOf('Prometheus', 'drills')).toBe(`${major}.${Number(minor)}.${patch}`);
  });

  test("of Compose's loader in .ci/tools/compose.sh", () => {
    expect(rows.find(({ what, done }) => what === 'container runtime' && done.includes('Compose'))?.done).toContain(
      `, ${found('.ci/tools/compose.sh', /compose-go\/v2 v([\d.]+)/g)[0]}`,
    );
  });

  test('of each Kubernetes whose schemas .ci/tools/chart.sh builds and the tests validate against', () => {
    const [list = ''] = found('.ci/tools/chart.sh', /^for version in (.*); do$/gm);
    const made = list.split(' ').map((version) => version.slice(1));
    expect(versionOf('Kubernetes', 'strict schemas')?.split(', ')).toEqual(made);
    expect(made.map((version) => version.replace(/\.\d+$/, ''))).toEqual([...kubernetesVersions]);
    // Versions below the first of them are untested.
    expect(versionOf('Kubernetes', 'kubeVersion')).toMatch(new RegExp(` to 1\\.${Number(kubernetesVersions[0].slice(2)) - 1}$`));
  });

  test('that Chart.yaml allows', () => {
    const { kubeVersion } = parse(document('charts/snowgauge/Chart.yaml'));
    expect(rows.find(({ done }) => done.includes('kubeVersion'))?.done).toContain(`\`${kubeVersion}\``);
    expect(kubeVersion).toContain(`>=${/^from ([\d.]+)/.exec(versionOf('Kubernetes', 'kubeVersion') ?? '')?.[1]}.0-0`);
  });

  test('of Node.js in package.json, in .ci/run and in the Dockerfile', () => {
    const { engines } = JSON.parse(document('package.json'));
    const [oldest = '', others] = rows.filter(({ what }) => what === 'Node.js').map(({ version }) => version);
    expect(`>=${/from ([\d.]+) on/.exec(oldest)?.[1]}`).toBe(engines.node);
    expect(others?.split(', ')).toEqual(found('.ci/run', /SNOWGAUGE_TEST_NODES-([\d ]+)/g)[0]?.split(' '));
    expect(versionOf('Node.js in the image', 'pods')?.split('.')[0]).toBe(
      found('deploy/container/Dockerfile', /NODE_MAJOR=(\d+)/g)[0],
    );
  });

  test('of avalanchego whose responses were recorded', () => {
    expect(versionOf('avalanchego', 'recorded')?.split(', ')).toEqual(capturedVersions());
  });

  test('of systemd in docs/systemd.md', () => {
    expect(versionOf('systemd', 'boots')?.split(',')[0]).toBe(found('docs/systemd.md', /and systemd (\d+) or later/g)[0]);
  });

  test('of Grafana that docs/dashboards.md requires', () => {
    expect(versionOf('Grafana', 'not run')).toBe(found('docs/dashboards.md', /for Grafana (\d+ or later)/g)[0]);
  });
});

describe.each([
  { program: 'prometheus', what: 'Prometheus', says: /prometheus, version (\d+\.\d+)/ },
  { program: 'prometheus-alertmanager', what: 'Alertmanager', says: /alertmanager, version (\d+\.\d+)/ },
])('the oldest $what', ({ program, what, says }) => {
  describeWith([program], program, (path = '') => {
    test('has the version in the table', async () => {
      const said = await runTool('sh', ['-c', '"$0" --version 2>&1', path]);
      expect(versionOf(what, 'the oldest')?.split(',')[0]).toBe(says.exec(said)?.[1]);
    });
  });
});
