import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { configJsonSchema } from '../../src/config/json-schema.ts';
import { parseConfig } from '../../src/config/load.ts';
import { formatErrors } from '../../src/yaml/parse.ts';

const settings = new Set(Object.keys(configJsonSchema().properties ?? {}));

const isConfiguration = (text: string): boolean => {
  const value: unknown = parse(text);
  const keys = Object.keys(value instanceof Object && !Array.isArray(value) ? value : {});
  return keys.length > 0 && keys.every((key) => settings.has(key));
};

test('every configuration in the documents is accepted', async () => {
  const files = ['README.md', ...(await readdir('docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];
  const checked: string[] = [];
  for (const file of files) {
    const text = await readFile(file, 'utf8');
    for (const [, block = ''] of text.matchAll(/^```yaml\n(.*?)^```/gms)) {
      if (block.includes('\n---\n') || !isConfiguration(block)) continue;
      const parsed = await parseConfig(block, {});
      expect(parsed.kind === 'invalid' ? formatErrors(file, parsed.errors) : '', block).toBe('');
      checked.push(file);
    }
  }
  expect(new Set(checked)).toEqual(
    new Set(['docs/configuration.md', 'docs/discovery.md', 'docs/maintenance.md', 'docs/probe.md', 'docs/probes.md']),
  );
});
