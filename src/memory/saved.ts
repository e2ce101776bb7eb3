// The format of a target's liveness state on disk. Times are of the clock since boot, which is the same for all processes and is never set.

import * as z from 'zod/mini';
import type { LiveMemory } from '../conditions/memory.ts';
import { storedUrl } from '../protocol/node-url.ts';

const instant = z.number().check(z.nonnegative());
export const schema = z.strictObject({
  /** Absent: from before formats had versions. */
  version: z.exactOptional(z.number()),
  url: z.string(),
  savedAt: instant,
  /** Contains the boot id: the times are valid only for that boot. */
  listener: z.string().check(z.minLength(1)),
  answered: z.boolean(),
  interval: z.exactOptional(z.number().check(z.positive())),
  timeouts: z.exactOptional(z.strictObject({ since: instant, polls: z.int().check(z.positive()) })),
  deadAt: z.exactOptional(instant),
});
export type Saved = Omit<z.infer<typeof schema>, 'version'>;

/** Seconds. After a longer gap without a saved state, timeouts no longer count as consecutive. The kubelet backs off for up to 300. */
export const longestGap = 600;

/** Whether the state was saved in this boot, and recently. A time in the future is from an earlier boot. */
export const isWatched = ({ savedAt }: Saved, booted: number): boolean => savedAt <= booted && booted - savedAt <= longestGap;

/** Undefined if the listening process is unknown. `offset`: clock since boot − exporter's clock. */
export const savedOf = (url: string, { listener, ...live }: LiveMemory, offset: number): Omit<Saved, 'savedAt'> | undefined => {
  if (listener === undefined) return undefined;
  const { timeouts, deadAt } = live;
  return {
    url: storedUrl(url),
    listener,
    ...live,
    ...(timeouts && { timeouts: { ...timeouts, since: timeouts.since + offset } }),
    ...(deadAt !== undefined && { deadAt: deadAt + offset }),
  };
};

/** Undefined if a time is in the future: then it is from another boot. */
export const memoryOf = (saved: Saved, booted: number, now: number): LiveMemory | undefined => {
  const { url: _, savedAt, timeouts, deadAt, ...rest } = saved;
  if ([savedAt, timeouts?.since ?? 0, deadAt ?? 0].some((at) => at > booted)) return undefined;
  return {
    ...rest,
    ...(timeouts && isWatched(saved, booted) && { timeouts: { ...timeouts, since: timeouts.since - booted + now } }),
    ...(deadAt !== undefined && { deadAt: deadAt - booted + now }),
  };
};
