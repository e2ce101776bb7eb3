// deploy/systemd without a running systemd: the unit with systemd-analyze, its flags, its configuration. systemd.long.test.ts runs it.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { document } from '../support/documented.ts';
import { runTool } from '../support/run-tool.ts';
import { describeWith } from '../support/tools.ts';

const page = document('docs/systemd.md');
const unit = document('deploy/systemd/snowgauge.service');

describeWith(['systemd-analyze'], 'the unit in systemd-analyze', (analyze = '') => {
  const file = new URL('../../deploy/systemd/snowgauge.service', import.meta.url).pathname;

  test('has at most the exposure in docs/systemd.md', async () => {
    const [, , documented] = /`systemd-analyze security` (\d+): exposure ([\d.]+) of 10/.exec(page) ?? [];
    const said = await runTool(analyze, ['security', '--offline=true', '--no-pager', file]);
    const [, exposure] = /Overall exposure level for snowgauge\.service: ([\d.]+)/.exec(said) ?? [];
    expect(Number(exposure)).toBeLessThanOrEqual(Number(documented));
  });
});

test('the unit has the flags of docs/footprint.md, and a heap of two thirds of its memory limit', () => {
  const flags = (text: string) => text.match(/--[a-z-]+(?:=\d+)?/g) ?? [];
  const [line = ''] = /^ExecStart=.*\.js/m.exec(unit) ?? [];
  const [explained = ''] = /^ {4}node --.*$/m.exec(document('docs/footprint.md')) ?? [];
  expect(flags(line)).toEqual(expect.arrayContaining(flags(explained)));
  const limit = Number(/^MemoryMax=(\d+)M$/m.exec(unit)?.[1]);
  expect(line).toContain(`--max-old-space-size=${Math.round((limit * 2) / 3)} `);
});

test('the configuration is valid and links to docs/systemd.md', async () => {
  const file = new URL('../../deploy/systemd/snowgauge.yaml', import.meta.url).pathname;
  expect(await runTool(process.execPath, ['dist/snowgauge.js', 'config', 'check', file])).toContain('ok, 1 target');
  expect(readFileSync(file, 'utf8')).toContain('docs/systemd.md#tls-passwords-and-tokens');
});
