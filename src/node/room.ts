// Room for so much at a time, of bodies or of answers: what does not fit waits. Of those who wait, whose address has least is next.

import type { Socket } from 'node:net';

interface Place {
  readonly address: string;
  readonly amount: number;
}

/** Makes room for others. */
export type Leave = () => void;

/** `maxOfOne`: of one address. What is more by itself has room where there is nothing else, of its address or of all. */
export const createRoom = (most: number, maxOfOne = most) => {
  const held = new Set<Place>();
  const waiting = new Map<Place, () => void>();
  const fits = ({ address, amount }: Place): boolean => {
    const all = sumOf(held);
    const own = sumOf(held, address);
    return (all === 0 || all + amount <= most) && (own === 0 || own + amount <= maxOfOne);
  };
  /** Nobody overtakes who is next: what is large would wait for ever. */
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
    /** Undefined: there is none now, or the other end has gone. */
    take: (socket: Socket, amount: number): Leave | undefined => {
      if (socket.destroyed) return undefined;
      const place = placeOf(socket, amount);
      waiting.set(place, () => undefined);
      serve();
      waiting.delete(place);
      return held.has(place) ? leaverOf(place) : undefined;
    },
    /** Undefined: there was none within so many seconds, or the other end has gone. */
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

/** Of this address; of all where none is given. */
const sumOf = (held: Iterable<Place>, of?: string): number => {
  let sum = 0;
  for (const { address, amount } of held) if (of === undefined || address === of) sum += amount;
  return sum;
};

/** Whose address has least; of these who came first. */
const nextOf = (waiting: Iterable<Place>, held: Iterable<Place>): Place | undefined => {
  let next: Place | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const one of waiting) {
    const own = sumOf(held, one.address);
    if (own < least) [next, least] = [one, own];
  }
  return next;
};
