// Limits the memory for response bodies in the whole process, and the requests that are sent per iteration of the event loop. Small responses,
// nearly all of them, never wait. Only a few larger ones are received at a time, and only one of the largest. The others wait, with their data
// unread in the socket. A slow node cannot block the others: the next response is that of the node that has used slots for the shortest time. If
// another response waits, one that takes too long times out, and the more nodes wait, the sooner.

import { createTaskQueue } from '../pause.ts';
import { maxCrowdedMs } from './deadline.ts';
import { type Start, slotsOf } from './slots.ts';
import { usageOf } from './usage.ts';

const kibibyte = 1024;

/** Bytes. Responses up to this size never wait. A report of a hundred checks has 60 KiB. */
export const small = 128 * kibibyte;

/**
 * How many responses above a size are received at once. A larger one needs a slot of each step. By default, the largest report has 512 KiB,
 * and the largest container 4 MiB.
 */
const steps = [
  { above: small, atOnce: 8, rests: false },
  { above: 512 * kibibyte, atOnce: 1, rests: true },
] as const;

/** Requests sent per iteration of the event loop: sending one takes some tenths of a millisecond. */
const sendsPerIteration = 8;

/** Chunks of large responses processed per iteration, of up to 64 KiB each: otherwise, a socket delivers up to 2 MiB at once. */
const chunksPerIteration = 2;

/** The part of the budget that one response uses. */
export interface Share {
  /** Whether the response may have this many bytes now. Call it for each chunk: the budget measures the speed by it. */
  readonly holds: (bytes: number) => boolean;
  /** Whether responses of other nodes use slots or wait for one. If not, the response waits only for others of its own node. */
  readonly isCrowded: () => boolean;
  /** The reused buffer for the largest response, if this one has all the slots; else undefined. */
  readonly buffer: (bytes: number) => Buffer | undefined;
  /** Calls `start` once, as soon as the response may have this many bytes. */
  readonly take: (bytes: number, start: Start) => void;
  readonly release: () => void;
}

export interface BudgetClock {
  /** Milliseconds. */
  readonly now: () => number;
  /** Calls `tick` repeatedly. Returns a function that stops it. */
  readonly every: (ms: number, tick: () => void) => () => void;
}

export type Budget = ReturnType<typeof createBudget>;

/** Pause after one of the largest responses. Parsing megabytes takes tenths of a second of CPU: probes and other polls run in between. */
const defaultRestMs = 250;

/** Only larger responses cause the pause. The peers of a mainnet node have 1 to 2 MiB: polls of hundreds of nodes must not pause for each. */
const restsAbove = 2048 * kibibyte;

// The time that a response has while others wait: half a second, plus the time of its bytes at 1 MiB/s, and at most two seconds. If many
// nodes wait, as after a start, each has an equal share of the time within which the first of them must begin, and at least a tenth of a
// second. The time is counted in ticks, each of which includes an iteration of the event loop that reads from the socket, so that a node is
// not blamed if the exporter itself is slow.
const tickMs = 50;
const slotTime = { ticks: 10, minTicks: 2, bytesPerTick: (1024 * kibibyte * tickMs) / 1000, maxTicks: 40 } as const;

/** A waiting response must begin within this time: it times out soon after. */
const beginsWithinMs = maxCrowdedMs - 1000;

const systemClock: BudgetClock = {
  now: () => performance.now(),
  every: (ms, tick) => {
    const timer = setInterval(tick, ms).unref();
    return () => clearInterval(timer);
  },
};

/** A response that uses slots or waits for one. */
interface Large {
  readonly node: string;
  /** The number of slots that it uses. They are taken in order, so this is also the index of the one that it waits for. */
  readonly slotsUsed: () => number;
  /** When the wait began. */
  readonly since: () => number;
  /** Counts one more tick. True if the time is over and another response waits for the slot. */
  readonly isOverTime: () => boolean;
  readonly evict: () => void;
}

/** One for all clients of the process. */
export const createBudget = (restMs = defaultRestMs, { now, every }: BudgetClock = systemClock) => {
  let large: Buffer = Buffer.alloc(0);
  const usage = usageOf(now);
  const queues = steps.map(({ above, atOnce, rests }) => ({ above, rests, slots: slotsOf(atOnce, usage.of) }));
  const receiving = new Set<Large>();
  /** In order of arrival. */
  const waiting = new Set<Large>();
  let stop: (() => void) | undefined;
  const watch = (): void => {
    if (receiving.size > 0) stop ??= every(tickMs, tick);
    else {
      stop?.();
      stop = undefined;
    }
  };
  const tick = (): void => {
    // A copy, because each eviction lets another response begin.
    for (const one of [...receiving]) if (one.isOverTime()) one.evict();
  };
  /** Ticks that the node may use its slots; undefined if no other node waits for one of them. */
  const allowedTicks = (node: string, slotsUsed: number): number | undefined => {
    const others = [...waiting].filter((one) => one.node !== node && one.slotsUsed() < slotsUsed);
    const [first] = others;
    if (first === undefined) return undefined;
    const waitedMs = now() - first.since();
    // Minus the tick in which the end of the time is noticed.
    const share = (beginsWithinMs - waitedMs) / tickMs / new Set(others.map((one) => one.node)).size - 1;
    return Math.max(slotTime.minTicks, Math.min(slotTime.ticks, share));
  };
  return {
    /** Sends a request now or later. If many nodes responded at once, their next requests are due at once too: probes run in between. */
    send: createTaskQueue(sendsPerIteration),
    /** Continues to read after a chunk of a large response. */
    receive: createTaskQueue(chunksPerIteration),
    /** `evict` is called if the time of the response is over and another one waits. It must lead to a call of `release`. */
    share: (node = '', evict: () => void = () => undefined): Share => {
      const entered: (() => void)[] = [];
      let [slotsUsed, largest] = [0, 0];
      let [ticks, before] = [0, 0];
      let since = 0;
      const own: Large = {
        node,
        slotsUsed: () => slotsUsed,
        since: () => since,
        isOverTime: () => {
          ticks += 1;
          const allowed = allowedTicks(node, slotsUsed);
          return (
            allowed !== undefined && ticks > Math.min(slotTime.maxTicks, allowed + (largest - before) / slotTime.bytesPerTick)
          );
        },
        evict,
      };
      const isReceiving = (is: boolean): void => {
        if (is) receiving.add(own);
        else receiving.delete(own);
        watch();
      };
      const next = (bytes: number): (typeof queues)[number] | undefined => {
        largest = Math.max(largest, bytes);
        const queue = queues[slotsUsed];
        return queue !== undefined && bytes > queue.above ? queue : undefined;
      };
      const take = (bytes: number, start: Start): void => {
        const queue = next(bytes);
        if (queue === undefined) {
          waiting.delete(own);
          start();
          return;
        }
        if (!waiting.has(own)) since = now();
        waiting.add(own);
        let begunAt: number | undefined;
        const begin = (): void => {
          begunAt = now();
          slotsUsed += 1;
          [ticks, before] = [0, largest];
          isReceiving(true);
          // Charged in advance, so that further waiting responses of this node do not precede those of other nodes.
          usage.add(node, slotTime.ticks * tickMs);
          take(bytes, start);
        };
        const leave = (): void => queue.slots.leave(begin);
        entered.push(() => {
          const rest = queue.rests && begunAt !== undefined && largest > restsAbove ? restMs : 0;
          if (begunAt !== undefined) usage.add(node, now() - begunAt + rest - slotTime.ticks * tickMs);
          if (rest > 0) setTimeout(leave, rest).unref();
          else leave();
        });
        isReceiving(false);
        queue.slots.enter(begin, node);
      };
      return {
        holds: (bytes) => next(bytes) === undefined,
        take,
        isCrowded: () => [...receiving, ...waiting].some((other) => other.node !== node),
        buffer: (bytes) => {
          if (slotsUsed < steps.length) return undefined;
          // Node.js frees memory outside its heap late: with a new buffer for each response, many of them would stay resident.
          if (large.length < bytes) large = Buffer.allocUnsafeSlow(bytes);
          return large;
        },
        release: () => {
          isReceiving(false);
          waiting.delete(own);
          for (const leave of entered.splice(0)) leave();
        },
      };
    },
  };
};
