// Saves which indexes each node has served, for `indexes: auto`: they stay watched after restarts of the node or the exporter.

import * as z from 'zod/mini';
import type { Log } from '../log.ts';
import { indexNames } from '../protocol/paths.ts';
import { openTargetMemory, type TargetMemoryOptions } from './target-memory.ts';

export const openIndexMemory = (options: TargetMemoryOptions, log: Log) =>
  openTargetMemory(
    {
      name: 'indexes.json',
      what: 'known indexes',
      /** Ten thousand targets. */
      maxBytes: 4 * 1024 * 1024,
      schema: z.enum(indexNames),
      of: ({ state: { options: asked, sources } }) =>
        asked.indexes === 'auto'
          ? [...sources.indexes.watched].flatMap(([index, { wasOn }]) => (wasOn ? [index] : []))
          : undefined,
    },
    options,
    log,
  );
