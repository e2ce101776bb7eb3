// The simulated peers: number of connected ones, and time of the last message.

import type { Simulation } from '../play.ts';
import { faultsOf } from '../scenario.ts';

export interface Peers {
  readonly connectedPeers: number;
  /** Undefined if there was never a message. */
  readonly secondsSinceMessage: number | undefined;
}

/** Messages come several times a second while there is a peer, and stop with the last one. */
const maxGapSeconds = 0.4;

/** The returned function remembers when peers were last seen. */
export const simulatePeers = ({ scenario, seed, faults, uptime }: Simulation): (() => Peers) => {
  let lastMessage: number | undefined;
  return () => {
    const now = uptime();
    const [fault] = faultsOf(faults(), 'peers-leave');
    const connectedPeers = Math.min(scenario.peers, fault?.peers ?? scenario.peers);
    // The golden ratio keeps the gap from following the check interval.
    if (connectedPeers > 0) lastMessage = now - (((seed + now) * 0.618) % maxGapSeconds);
    // No check has run since the start of the fault: until then there were peers.
    else if (fault !== undefined && scenario.peers > 0) lastMessage = fault.since;
    return { connectedPeers, secondsSinceMessage: lastMessage === undefined ? undefined : Math.max(0, now - lastMessage) };
  };
};
