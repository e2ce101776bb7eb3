// The meaning of each reason, and what to do: one table for all commands, pages and documents.

import type { Reason } from './reasons.ts';

export interface ReasonFacts {
  /** One sentence. */
  readonly meaning: string;
  /** One or two sentences. */
  readonly remedy: string;
}

export const reasonFacts: Readonly<Record<Reason, ReasonFacts>> = {
  'not-yet-run': {
    meaning: 'The check has not run yet.',
    remedy: 'Wait for the next health check run, 30 s by default. If it never runs, another check of the same run hangs.',
  },
  'shutting-down': {
    meaning: 'The node is shutting down.',
    remedy: 'None if the shutdown was intended. Otherwise read the end of its log and find what stops it.',
  },
  database: {
    meaning: "The node's database is closed or damaged.",
    remedy:
      'Check the disk and the log. If the database is damaged, restore a backup, or bootstrap again with an empty database.',
  },
  disk: {
    meaning: 'The disk of the database is nearly full.',
    remedy: 'Add disk space now: below the required minimum, 3 % by default, the node shuts itself down.',
  },
  'chain-not-created': {
    meaning: 'The chain could not be created, usually because its VM is not installed.',
    remedy: 'Install the VM plugin with the id from the error and restart the node, or stop tracking the subnet.',
  },
  'vm-dead': {
    meaning: 'The VM process of the chain has exited.',
    remedy:
      'Find out why the plugin exited, in the log of the node and in the kernel log (out of memory), then restart the node.',
  },
  'vm-unhealthy': {
    meaning: "The chain's VM is running and reports that it is unhealthy.",
    remedy: 'Read the rest of the error, which comes from the VM, and look for it in the log of the chain.',
  },
  'chain-starting': {
    meaning: 'The chain was created, but its engine has not started.',
    remedy: 'Wait for the next health check run. If it still fails, look for the chain in the log of the node.',
  },
  'bls-key': {
    meaning: 'The node signs with a BLS key other than the one its validator is registered with.',
    remedy: 'Restore the registered signer key and restart the node, or register the validator again with the new key.',
  },
  'partial-sync': {
    meaning: 'The node is a validator, but is configured to sync only a part of the Primary Network.',
    remedy: 'Start it without --partial-sync-primary-network.',
  },
  upgrade: {
    meaning: 'Most of the stake expects a network upgrade that this version of the node does not know.',
    remedy: 'Upgrade the node before the time that the check reports: after that it may fall out of consensus.',
  },
  'no-validators': {
    meaning: 'The node knows no validators.',
    remedy: 'Wait until P has bootstrapped. If it has, check that the node is on the right network.',
  },
  bootstrapping: {
    meaning: 'Subnets are still bootstrapping. The check lists them.',
    remedy:
      'Wait as long as the heights of their chains grow in the log. If one stalls, check its peers and the checks of its chains.',
  },
  peers: {
    meaning: 'The node is connected to too few peers.',
    remedy: 'Check the network of the node, its bootstrap peers and the staking port, 9651 by default.',
  },
  'no-inbound': {
    meaning: 'The node is a validator, but no peer has connected to it.',
    remedy:
      'Open the staking port, 9651 by default, to the internet, and check that the node announces the right public address.',
  },
  silence: {
    meaning: 'The node has not received or not sent any message for too long.',
    remedy: 'Check the network of the node. If it has lost its peers too, that is the cause.',
  },
  'send-failures': {
    meaning: 'Too many messages to peers could not be sent.',
    remedy: 'Check the bandwidth and CPU of the node: a node that is too slow fills its queues.',
  },
  router: {
    meaning: 'Requests to peers wait too long for a response, or too many are outstanding.',
    remedy: 'Check the CPU and disk of the node first, then its network.',
  },
  other: {
    meaning: 'The check fails for a reason that snowgauge does not know.',
    remedy: 'Read the error and look for it in the log of the node.',
  },
  'block-processing': {
    meaning: 'Blocks of the chain are not decided in time.',
    remedy:
      'Compare with other nodes. If all are affected, wait: a restart does not help. If only this one is, check its CPU and disk.',
  },
  'stake-disconnected': {
    meaning: "The node is not connected to enough of the stake of the chain's validators.",
    remedy:
      'Check whether the disconnected validators run and still have stake. If other nodes are connected to them, check the peers of this node.',
  },
};
