// The text of a file -> the targets in it. YAML becomes JSON first, a large one in a thread.

import type { SourceContext } from '../source.ts';
import { type GroupsRead, readGroups, readJson } from '../target-groups.ts';
import { isSmall, jsonOf, type Made } from './json-of.ts';

export type Reading = Pick<SourceContext, 'signal' | 'alone'>;

export const groupsOf = async (file: string, text: string, reading: Reading): Promise<GroupsRead> => {
  if (text.trim() === '') return { kind: 'invalid', reason: 'is empty: write [] for no targets' };
  const made: Made = file.endsWith('.json') ? { kind: 'ok', json: text } : await jsonOfYaml(text, reading);
  if (made.kind === 'invalid') return made;
  const json = await readJson(Buffer.from(made.json));
  return json.kind === 'ok' ? readGroups(json.value, new Map([['__meta_filepath', file]])) : json;
};

const jsonOfYaml = async (text: string, { signal, alone }: Reading): Promise<Made> => {
  if (isSmall(text)) return jsonOf(text);
  // Loaded for those alone who need it.
  const { jsonInThread } = await import('./yaml-thread.ts');
  return alone(() => jsonInThread(text, signal));
};
