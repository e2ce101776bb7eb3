// The simulated peers: how many are connected, and when the last message came.

import { type ActiveFault, faultsOf, type Scenario } from '../scenario.ts';

export interface Peers {
  readonly connectedPeers: number;
  /** Undefined: there was never a message. */
  readonly secondsSinceMessage: number | undefined;
}

/** Messages come several times a second while there is a peer, and stop with the last one. */
const maxGapSeconds = 0.4;

/** A fraction that looks random and is the same for the same second and seed. */
const jitter = (seed: number, second: number): number => {
  const mixed = Math.imul((second ^ (seed * 0x9e3779b1)) >>> 0, 0x85ebca6b) >>> 0;
  return (((mixed ^ (mixed >>> 13)) >>> 0) % 1000) / 1000;
};

/** `uptime` in seconds; the returned function remembers when peers were last seen. */
export const simulatePeers = (
  scenario: Scenario,
  seed: number,
  faults: () => readonly ActiveFault[],
  uptime: () => number,
): (() => Peers) => {
  let lastMessage: number | undefined;
  return () => {
    const now = uptime();
    const [fault] = faultsOf(faults(), 'peers-leave');
    const connectedPeers = Math.min(scenario.peers, fault?.peers ?? scenario.peers);
    if (connectedPeers > 0) lastMessage = now - jitter(seed, Math.floor(now)) * maxGapSeconds;
    // No check ran between the start of the fault and now: until then there were peers.
    else if (fault !== undefined && scenario.peers > 0) lastMessage = fault.since;
    return { connectedPeers, secondsSinceMessage: lastMessage === undefined ? undefined : Math.max(0, now - lastMessage) };
  };
};
