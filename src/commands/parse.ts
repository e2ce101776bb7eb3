// Parses a configuration, a large one in a thread of its own.

import { parseConfig } from '../config/load.ts';

/** A text of some hundred targets and more: parsing it would hold up probes, and may take more memory than there is. */
const isLarge = (text: string): boolean => text.length > 64 * 1024;

export const parse: typeof parseConfig = async (text, env, folder) => {
  if (!isLarge(text)) return parseConfig(text, env, folder);
  // Loaded for those alone who need it.
  const { parseBeside } = await import('../config/parse-thread.ts');
  return parseBeside(text, env, folder);
};

/** A refused text is not parsed at each look: of a large one that takes seconds, and all the memory that there is. */
export const onceRefused = (parsing: typeof parseConfig): typeof parseConfig => {
  let refused: { readonly text: string; readonly parsed: Awaited<ReturnType<typeof parseConfig>> } | undefined;
  return async (text, env, folder) => {
    if (refused?.text === text) return refused.parsed;
    const parsed = await parsing(text, env, folder);
    refused = parsed.kind === 'invalid' ? { text, parsed } : undefined;
    return parsed;
  };
};
