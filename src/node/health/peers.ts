// The simulated peers: how many are connected, and when the last message came and went.

import { type ActiveFault, faultsOf, type Scenario } from '../scenario.ts';
import type { Peers } from './sources.ts';

/** Messages come several times a second while there is a peer, and stop with the last one. */
const longestGapSeconds = 0.4;

/** A fraction that looks random and is the same for the same second and seed. */
const jitter = (seed: number, second: number): number => {
  const mixed = Math.imul((second ^ (seed * 0x9e3779b1)) >>> 0, 0x85ebca6b) >>> 0;
  return (((mixed ^ (mixed >>> 13)) >>> 0) % 1000) / 1000;
};

/** `uptime` in seconds; the returned function remembers when peers were last seen. */
export const simulatePeers = (scenario: Scenario, seed: number, faults: () => readonly ActiveFault[], uptime: () => number) => {
  let lastMessage: number | undefined;
  return (): Peers => {
    const now = uptime();
    const [gone] = faultsOf(faults(), 'peers-leave');
    const connectedPeers = Math.min(scenario.peers, gone?.peers ?? scenario.peers);
    if (connectedPeers > 0) lastMessage = now - jitter(seed, Math.floor(now)) * longestGapSeconds;
    // Nobody asked between the fault's beginning and now: until then there were peers.
    else if (gone !== undefined && scenario.peers > 0) lastMessage = gone.since;
    if (lastMessage === undefined) return { connectedPeers, sendFailRate: 0 };
    const since = Math.max(0, now - lastMessage);
    return { connectedPeers, sendFailRate: 0, secondsSinceReceived: since, secondsSinceSent: since / 2 };
  };
};
