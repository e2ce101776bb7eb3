// What a configuration is once it is read: seconds, bytes and check intervals. All of it follows from the schema.

import type * as z from 'zod/mini';
import type { configSchema } from './config.ts';
import type { Immutable } from './setting.ts';

export type Config = Immutable<z.output<typeof configSchema>>;
export type { DiscoveryConfig } from './discovery.ts';
