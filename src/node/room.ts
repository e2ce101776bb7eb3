// Limits the amount held at a time, of bodies or of responses: what does not fit waits. The address that holds least is served first.

import type { Socket } from 'node:net';

interface Place {
  readonly address: string;
  readonly amount: number;
}

/** Frees the room for others. */
export type Leave = () => void;

/** `maxOfOne`: limit per address. A larger amount fits only if nothing else is held, by its address or in total. */
export const createRoom = (most: number, maxOfOne = most) => {
  const held = new Set<Place>();
  const waiting = new Map<Place, () => void>();
  const fits = ({ address, amount }: Place): boolean => {
    const all = sumOf(held);
    const own = sumOf(held, address);
    return (all === 0 || all + amount <= most) && (own === 0 || own + amount <= maxOfOne);
  };
  /** Nobody overtakes the next one: large amounts would never fit. */
  const serve = (): void => {
    for (let next = nextOf(waiting.keys(), held); next !== undefined && fits(next); next = nextOf(waiting.keys(), held)) {
      const begin = waiting.get(next);
      waiting.delete(next);
      held.add(next);
      begin?.();
    }
  };
  const placeOf = ({ remoteAddress = '' }: Socket, amount: number): Place => ({ address: remoteAddress, amount });
  const leaverOf = (place: Place): Leave => {
    return () => {
      if (held.delete(place) || waiting.delete(place)) serve();
    };
  };

  return {
    /** Undefined if there is no room now, or the client has disconnected. */
    take: (socket: Socket, amount: number): Leave | undefined => {
      if (socket.destroyed) return undefined;
      const place = placeOf(socket, amount);
      waiting.set(place, () => undefined);
      serve();
      waiting.delete(place);
      return held.has(place) ? leaverOf(place) : undefined;
    },
    /** Undefined if there was no room within `seconds`, or the client has disconnected. */
    wait: (socket: Socket, amount: number, seconds?: number): Promise<Leave | undefined> =>
      new Promise((resolve) => {
        if (socket.destroyed) return resolve(undefined);
        const place = placeOf(socket, amount);
        const leave = leaverOf(place);
        const settle = (found: Leave | undefined): void => {
          clearTimeout(late);
          socket.off('close', giveUp);
          resolve(found);
        };
        const giveUp = (): void => {
          leave();
          settle(undefined);
        };
        const late = seconds === undefined ? undefined : setTimeout(giveUp, seconds * 1000);
        socket.once('close', giveUp);
        waiting.set(place, () => settle(leave));
        serve();
      }),
  };
};

/** Total of this address; of all if undefined. */
const sumOf = (held: Iterable<Place>, of?: string): number => {
  let sum = 0;
  for (const { address, amount } of held) if (of === undefined || address === of) sum += amount;
  return sum;
};

/** The one whose address holds least; of equals, the first. */
const nextOf = (waiting: Iterable<Place>, held: Iterable<Place>): Place | undefined => {
  let next: Place | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const one of waiting) {
    const own = sumOf(held, one.address);
    if (own < least) [next, least] = [one, own];
  }
  return next;
};
