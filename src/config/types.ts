// The type of a parsed configuration, which follows from the schema. Values are seconds, bytes and check intervals.

import type * as z from 'zod/mini';
import type { configSchema } from './config.ts';
import type { Immutable } from './setting.ts';

export type Config = Immutable<z.output<typeof configSchema>>;
export type { DiscoveryConfig } from './discovery.ts';
