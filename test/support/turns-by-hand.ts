// Turns of the event loop that a test grants, with the waiting and the cancelled callers.

import type { ConnectionKind, FairQueue } from '../../src/turns.ts';

interface Place {
  readonly kind: ConnectionKind;
  readonly begin: () => unknown;
  hasLeft: boolean;
}

export const turnsByHand = () => {
  const places: Place[] = [];
  const inTurn: FairQueue = (_, begin, kind = 'known') => {
    const place = { kind, begin, hasLeft: false };
    places.push(place);
    return () => {
      place.hasLeft = true;
    };
  };
  return { inTurn, places };
};
