// Which indexes each node has served, for `indexes: auto`: one that was on is watched, whoever has been restarted since.

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
