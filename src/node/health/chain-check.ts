// The check of one chain: its engine, its VM, and how much of its stake it is connected to.

import { formatGoSeconds } from '../../protocol/duration.ts';
import type { Dialect } from '../dialect.ts';
import type { ChainStatus } from '../network/live-chain.ts';
import type { CheckOutcome } from './worker.ts';

export interface ChainView {
  readonly status: ChainStatus;
  readonly dialect: Dialect;
  /** A VM of its own process; the chains that the node brings have none. */
  readonly plugin: boolean;
  /** The plugin's process is gone. */
  readonly dead: boolean;
  /** Share of the stake that the node is connected to. */
  readonly percentConnected: number;
  /** Of as many validators as the share says. */
  readonly disconnectedValidators: readonly string[];
}

const minConnected = 0.8;
const maxProcessingSeconds = 30;
const maxProcessingBlocks = 256;

const deadPlugin =
  'health check failed: rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:41363: connect: connection refused"';

export const chainOutcome = (view: ChainView): CheckOutcome => {
  const { status, percentConnected, dialect } = view;
  if (status.state === 'initializing') return { error: 'missing engine Initializing state running ENGINE_TYPE_CHAIN' };
  const message = {
    engine: {
      consensus: consensusOf(status),
      vm: view.plugin && !view.dead ? { database: null, health: 200 } : null,
    },
    networking: {
      ...(dialect === 'avalanchego' && { disconnectedValidators: view.disconnectedValidators }),
      percentConnected,
    },
  };
  const error = joined(engineError(view), networkingError(percentConnected));
  return error === undefined ? { message } : { message, error };
};

const consensusOf = (status: ChainStatus): object =>
  status.state === 'running'
    ? {
        lastAcceptedHeight: status.lastAcceptedHeight,
        lastAcceptedID: status.lastAcceptedId,
        longestProcessingBlock: formatGoSeconds(status.longestProcessingSeconds),
        processingBlocks: status.processingBlocks,
      }
    : {};

const engineError = ({ status, dead }: ChainView): string | undefined => {
  const { processingBlocks: blocks, longestProcessingSeconds: longest } = status;
  const consensus = [
    blocks > maxProcessingBlocks && `too many processing blocks: ${blocks} > ${maxProcessingBlocks}`,
    longest > maxProcessingSeconds &&
      `block processing too long: ${formatGoSeconds(longest)} > ${formatGoSeconds(maxProcessingSeconds)}`,
  ].filter((reason) => reason !== false);
  if (dead) return deadPlugin;
  return consensus.length === 0 ? undefined : consensus.join('\n');
};

const networkingError = (connected: number): string | undefined =>
  connected < minConnected
    ? `not connected to enough stake: connected to ${(connected * 100).toFixed(6)}%; required at least ${(minConnected * 100).toFixed(6)}%`
    : undefined;

/** One of the two stands alone; both are named. */
const joined = (engine: string | undefined, networking: string | undefined): string | undefined =>
  engine !== undefined && networking !== undefined ? `engine: ${engine}; networking: ${networking}` : (engine ?? networking);

export const notCreated = (subnetId: string, vmId: string): CheckOutcome => ({
  error: `failed to create chain on subnet ${subnetId}: error while getting vmFactory: "${vmId}" was not found`,
});
