// Saves the subnets of each node, for `tagSets: auto`: their tag sets keep their names after a restart of snowgauge, even if the node reports
// other subnets then.

import * as z from 'zod/mini';
import type { Log } from '../log.ts';
import { openTargetMemory, type TargetMemoryOptions } from './target-memory.ts';

const text = z.string().check(z.minLength(1), z.maxLength(1024));
/** The node chooses the names of its checks. They may be empty, and as long as the client accepts (bounds.ts). */
const checkName = z.string().check(z.maxLength(1024));

export const openSubnetMemory = (options: TargetMemoryOptions, log: Log) =>
  openTargetMemory(
    {
      name: 'subnets.json',
      what: 'known subnets',
      /** Ten thousand targets with twenty subnets each. */
      maxBytes: 64 * 1024 * 1024,
      schema: z.strictObject({ id: text, name: text, checks: z.array(checkName) }),
      of: ({ state: { options: asked, sources } }) =>
        asked.writtenTagSets === undefined
          ? undefined
          : sources.subnets.known.map(({ id, name, checks }) => ({ id, name, checks: [...checks] })),
    },
    options,
    log,
  );
