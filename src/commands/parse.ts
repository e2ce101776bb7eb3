// Parses a configuration. A large one is parsed in a separate thread.

import { parseConfig } from '../config/load.ts';

/** True for about a hundred targets or more: parsing them would delay probes, and may need more memory than there is. */
const isLarge = (text: string): boolean => text.length > 64 * 1024;

export const parse: typeof parseConfig = async (text, env, folder) => {
  if (!isLarge(text)) return parseConfig(text, env, folder);
  // Imported only if needed.
  const { parseBeside } = await import('../config/parse-thread.ts');
  return parseBeside(text, env, folder);
};

/** Does not parse a rejected text again each time the file is read: for a large one that takes seconds, and much memory. */
export const onceRefused = (parsing: typeof parseConfig): typeof parseConfig => {
  let refused: { readonly text: string; readonly parsed: Awaited<ReturnType<typeof parseConfig>> } | undefined;
  return async (text, env, folder) => {
    if (refused?.text === text) return refused.parsed;
    const parsed = await parsing(text, env, folder);
    refused = parsed.kind === 'invalid' ? { text, parsed } : undefined;
    return parsed;
  };
};
