// The bytes of answers that the process holds at once. Nearly every answer is small and waits for nothing; of the larger ones a few are
// received at a time, of the largest one, and the others wait with what is theirs still in the socket.

import { type Start, slotsOf } from './slots.ts';

const kibibyte = 1024;

/** Up to so many bytes an answer is held beside any number of others. A report of a hundred checks is 60 KiB. */
const small = 128 * kibibyte;

/** From a size on, how many answers at once. The largest report is 512 KiB by default, the largest container 4 MiB. */
const steps = [
  { above: small, atOnce: 8, rests: false },
  { above: 512 * kibibyte, atOnce: 1, rests: true },
] as const;

/** What one answer holds of the budget. */
export interface Share {
  /** Whether it may hold so many bytes now. */
  readonly holds: (bytes: number) => boolean;
  /** Where it is the one that may be large: the buffer of such answers, which is used again and again. */
  readonly buffer: (bytes: number) => Buffer | undefined;
  /** `start` is called as soon as it may, once. */
  readonly take: (bytes: number, start: Start) => void;
  readonly release: () => void;
}

export type Budget = ReturnType<typeof createBudget>;

/** After one of the largest: megabytes cost a processor tenths of a second, and probes and other polls come in between. */
const usualRestMs = 250;

/** The peers of a node of mainnet are 1 to 2 MiB: where hundreds of nodes have them, none rests. */
const restsAbove = 2048 * kibibyte;

/** One for all clients of the process. */
export const createBudget = (restMs = usualRestMs) => {
  let large: Buffer = Buffer.alloc(0);
  const queues = steps.map(({ above, atOnce, rests }) => ({ above, rests, slots: slotsOf(atOnce) }));
  return {
    share: (): Share => {
      const entered: (() => void)[] = [];
      let [held, largest] = [0, 0];
      const next = (bytes: number): (typeof queues)[number] | undefined => {
        largest = Math.max(largest, bytes);
        const queue = queues[held];
        return queue !== undefined && bytes > queue.above ? queue : undefined;
      };
      const take = (bytes: number, start: Start): void => {
        const queue = next(bytes);
        if (queue === undefined) {
          start();
          return;
        }
        let hasBegun = false;
        const begin = (): void => {
          hasBegun = true;
          held += 1;
          take(bytes, start);
        };
        const leave = (): void => queue.slots.leave(begin);
        entered.push(() => {
          if (queue.rests && hasBegun && restMs > 0 && largest > restsAbove) setTimeout(leave, restMs).unref();
          else leave();
        });
        queue.slots.enter(begin);
      };
      return {
        holds: (bytes) => next(bytes) === undefined,
        take,
        buffer: (bytes) => {
          if (held < steps.length) return undefined;
          // Node.js gives memory outside its heap back late: a new one for each answer would be resident many times over.
          if (large.length < bytes) large = Buffer.allocUnsafeSlow(bytes);
          return large;
        },
        release: () => {
          for (const leave of entered.splice(0)) leave();
        },
      };
    },
  };
};
