// What the checks look at: the machine, this server, the chains, the simulated peers.

import { statfs } from 'node:fs/promises';
import type { ChainStatus } from '../network/live-chain.ts';

export interface Disk {
  readonly availableBytes: number;
  readonly availablePercentage: number;
}

/** The file system that holds `folder`, as it is. */
export const diskOf = async (folder: string): Promise<Disk> => {
  const { bavail, bsize, blocks } = await statfs(folder);
  return { availableBytes: bavail * bsize, availablePercentage: blocks === 0 ? 0 : Math.floor((bavail / blocks) * 100) };
};

export interface Peers {
  readonly connectedPeers: number;
  readonly sendFailRate: number;
  /** Undefined: there was never a message. */
  readonly secondsSinceReceived?: number;
  readonly secondsSinceSent?: number;
}

export interface Requests {
  readonly outstanding: number;
  readonly longestSeconds: number;
}

export interface Sources {
  readonly disk: () => Promise<Disk>;
  /** Writes to the store and reads it back; rejects where it cannot. */
  readonly database: () => Promise<void>;
  readonly requests: () => Requests;
  /** The chains that exist by now. */
  readonly chains: () => readonly ChainStatus[];
  readonly peers: () => Peers;
  /** Seconds since the start. */
  readonly uptime: () => number;
}
