// Turns that a test gives: who waits for one, as what, and who has left.

import type { Acquaintance, InTurn } from '../../src/turns.ts';

interface Place {
  readonly acquaintance: Acquaintance;
  readonly begin: () => unknown;
  hasLeft: boolean;
}

export const turnsByHand = () => {
  const places: Place[] = [];
  const inTurn: InTurn = (_, begin, acquaintance = 'known') => {
    const place = { acquaintance, begin, hasLeft: false };
    places.push(place);
    return () => {
      place.hasLeft = true;
    };
  };
  return { inTurn, places };
};
