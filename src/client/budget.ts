// The bytes of answers that the process holds at once, and the requests that it begins in a turn. Nearly every answer is small and waits
// for nothing; of the larger ones a few are received at a time, of the largest one, and the others wait with what is theirs still in the
// socket. Nobody keeps a place by being slow: the node that held places for the shortest time is next, and who has had its time is ended
// when another waits: the sooner, the more nodes wait.

import { createTaskQueue } from '../pause.ts';
import { maxCrowdedMs } from './deadline.ts';
import { type Start, slotsOf } from './slots.ts';
import { usageOf } from './usage.ts';

const kibibyte = 1024;

/** Up to so many bytes an answer is held beside any number of others. A report of a hundred checks is 60 KiB. */
export const small = 128 * kibibyte;

/** From a size on, how many answers at once. The largest report is 512 KiB by default, the largest container 4 MiB. */
const steps = [
  { above: small, atOnce: 8, rests: false },
  { above: 512 * kibibyte, atOnce: 1, rests: true },
] as const;

/** Requests that begin in a turn of the event loop: each takes some tenths of a millisecond until it is on the wire. */
const sendsInTurn = 8;

/** Pieces of answers that are counted in a turn, of up to 64 KiB each: of what a socket holds, up to 2 MiB come at once. */
const piecesInTurn = 2;

/** What one answer holds of the budget. */
export interface Share {
  /** Whether it may hold so many bytes now. To be asked at each piece: by it its pace is known. */
  readonly holds: (bytes: number) => boolean;
  /** Whether answers of other nodes hold places or wait for some: where none does, a node waits for its own alone. */
  readonly isCrowded: () => boolean;
  /** Where it is the one that may be large: the buffer of such answers, which is used again and again. */
  readonly buffer: (bytes: number) => Buffer | undefined;
  /** `start` is called as soon as it may, once. */
  readonly take: (bytes: number, start: Start) => void;
  readonly release: () => void;
}

export interface BudgetClock {
  /** Milliseconds. */
  readonly now: () => number;
  /** Calls again and again, until what it gives is called. */
  readonly every: (ms: number, tick: () => void) => () => void;
}

export type Budget = ReturnType<typeof createBudget>;

/** After one of the largest: megabytes cost a processor tenths of a second, and probes and other polls come in between. */
const defaultRestMs = 250;

/** The peers of a node of mainnet are 1 to 2 MiB: where hundreds of nodes have them, none rests. */
const restsAbove = 2048 * kibibyte;

// What an answer may take while others wait: half a second, and the time of its bytes at 1 MiB/s, but no more than two. Where many nodes
// wait, as at a start, each has an equal share of the time in which the first of them must begin, but at least a tenth of a second. It is
// counted in ticks, each with a turn of the event loop in which its bytes were read: that we are slow ourselves is not its fault.
const tickMs = 50;
const patience = { ticks: 10, minTicks: 2, bytesPerTick: (1024 * kibibyte * tickMs) / 1000, maxTicks: 40 } as const;

/** Within so long who waits is to begin: before it would be given up. */
const beginsWithinMs = maxCrowdedMs - 1000;

const systemClock: BudgetClock = {
  now: () => performance.now(),
  every: (ms, tick) => {
    const timer = setInterval(tick, ms).unref();
    return () => clearInterval(timer);
  },
};

/** An answer that holds places or waits for one. */
interface Large {
  readonly node: string;
  /** How many places it holds: the next one is what it waits for. */
  readonly held: () => number;
  /** When it began to wait. */
  readonly since: () => number;
  /** One more tick in which it received; whether it had its time, and another waits for its place. */
  readonly isDue: () => boolean;
  readonly evict: () => void;
}

/** One for all clients of the process. */
export const createBudget = (restMs = defaultRestMs, { now, every }: BudgetClock = systemClock) => {
  let large: Buffer = Buffer.alloc(0);
  const usage = usageOf(now);
  const queues = steps.map(({ above, atOnce, rests }) => ({ above, rests, slots: slotsOf(atOnce, usage.of) }));
  const receiving = new Set<Large>();
  /** In the order in which they came. */
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
    // One that is ended lets the next begin, whose time begins then.
    for (const one of [...receiving]) if (one.isDue()) one.evict();
  };
  /** Ticks that may pass before the place is wanted; undefined where no other node waits for one that it holds. */
  const freeTicks = (node: string, held: number): number | undefined => {
    const others = [...waiting].filter((one) => one.node !== node && one.held() < held);
    const [first] = others;
    if (first === undefined) return undefined;
    const waitedMs = now() - first.since();
    // Less the tick in which it is seen that they are over.
    const share = (beginsWithinMs - waitedMs) / tickMs / new Set(others.map((one) => one.node)).size - 1;
    return Math.max(patience.minTicks, Math.min(patience.ticks, share));
  };
  return {
    /** Begins a request. Where the answers of many nodes came together, so do their next requests: probes come in between. */
    send: createTaskQueue(sendsInTurn),
    /** Reads on after a piece of a large answer. */
    receive: createTaskQueue(piecesInTurn),
    /** `node`: whose answer it is. `evict`: it has had its time, and another waits. Called before `release`, which it must lead to. */
    share: (node = '', evict: () => void = () => undefined): Share => {
      const entered: (() => void)[] = [];
      let [held, largest] = [0, 0];
      let [ticks, before] = [0, 0];
      let since = 0;
      const own: Large = {
        node,
        held: () => held,
        since: () => since,
        isDue: () => {
          ticks += 1;
          const free = freeTicks(node, held);
          return free !== undefined && ticks > Math.min(patience.maxTicks, free + (largest - before) / patience.bytesPerTick);
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
        const queue = queues[held];
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
          held += 1;
          [ticks, before] = [0, largest];
          isReceiving(true);
          // Paid in advance: of what else the node has waiting, nothing comes before others.
          usage.add(node, patience.ticks * tickMs);
          take(bytes, start);
        };
        const leave = (): void => queue.slots.leave(begin);
        entered.push(() => {
          const rest = queue.rests && begunAt !== undefined && largest > restsAbove ? restMs : 0;
          if (begunAt !== undefined) usage.add(node, now() - begunAt + rest - patience.ticks * tickMs);
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
          if (held < steps.length) return undefined;
          // Node.js gives memory outside its heap back late: a new one for each answer would be resident many times over.
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
