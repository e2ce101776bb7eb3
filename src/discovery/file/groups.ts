// Converts the text of a file to targets. YAML is converted to JSON first, in a thread unless the text is small.

import type { SourceContext } from '../source.ts';
import { type GroupsRead, readGroups, readJson } from '../target-groups.ts';
import { isSmall, type JsonResult, yamlToJson } from './yaml-to-json.ts';

export type ReadContext = Pick<SourceContext, 'signal' | 'alone'>;

export const parseGroups = async (file: string, bytes: Buffer, reading: ReadContext): Promise<GroupsRead> => {
  if (!bytes.some((byte) => byte > space)) return { kind: 'invalid', reason: 'is empty: write [] for no targets' };
  let json = bytes;
  if (!file.endsWith('.json')) {
    // The YAML library rejects a list after a byte order mark.
    const converted = await jsonOfYaml(bytes.toString().replace(/^\uFEFF/, ''), reading);
    if (converted.kind === 'invalid') return converted;
    json = Buffer.from(converted.json);
  }
  const read = await readJson(json);
  return read.kind === 'ok' ? readGroups(read.value, new Map([['__meta_filepath', file]])) : read;
};

const space = 0x20;

const jsonOfYaml = async (text: string, { signal, alone }: ReadContext): Promise<JsonResult> => {
  if (isSmall(text)) return yamlToJson(text);
  // Loaded on demand.
  const { jsonInThread } = await import('./yaml-thread.ts');
  return alone(() => jsonInThread(text, signal));
};
