// The text of a file -> the targets in it. YAML becomes JSON first, a large one in a thread.

import type { SourceContext } from '../source.ts';
import { type GroupsRead, readGroups, readJson } from '../target-groups.ts';
import { isSmall, type JsonResult, yamlToJson } from './yaml-to-json.ts';

export type ReadContext = Pick<SourceContext, 'signal' | 'alone'>;

export const parseGroups = async (file: string, text: string, reading: ReadContext): Promise<GroupsRead> => {
  if (text.trim() === '') return { kind: 'invalid', reason: 'is empty: write [] for no targets' };
  const made: JsonResult = file.endsWith('.json') ? { kind: 'ok', json: text } : await convert(text, reading);
  if (made.kind === 'invalid') return made;
  const json = await readJson(Buffer.from(made.json));
  return json.kind === 'ok' ? readGroups(json.value, new Map([['__meta_filepath', file]])) : json;
};

const convert = async (text: string, { signal, alone }: ReadContext): Promise<JsonResult> => {
  if (isSmall(text)) return yamlToJson(text);
  // Loaded for those alone who need it.
  const { jsonInThread } = await import('./yaml-thread.ts');
  return alone(() => jsonInThread(text, signal));
};
