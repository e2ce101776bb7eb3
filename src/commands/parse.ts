// Parses a configuration, a large one in a thread of its own.

import { parseConfig } from '../config/load.ts';

/** A text of some hundred targets and more: parsing it would hold up probes, and may take more memory than there is. */
const isLarge = (text: string): boolean => text.length > 64 * 1024;

export const parse: typeof parseConfig = async (text, env) => {
  if (!isLarge(text)) return parseConfig(text, env);
  // Loaded for those alone who need it.
  const { parseBeside } = await import('../config/parse-thread.ts');
  return parseBeside(text, env);
};
