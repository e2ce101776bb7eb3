// What each reason means in plain words, and what to do: one table, so that every command, page and document says the same.

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
    remedy: 'Wait for the next health check run, 30 s by default. If it stays so, another check of the same run hangs.',
  },
  'shutting-down': {
    meaning: 'The node is shutting down.',
    remedy: 'Nothing, if somebody asked it to. Else look at the end of its log and at what stops it.',
  },
  database: {
    meaning: "The node's database is closed or damaged.",
    remedy: 'Look at the disk and at the log. Of a damaged database restore a copy, or bootstrap again with an empty one.',
  },
  disk: {
    meaning: 'The disk of the database is nearly full.',
    remedy: 'Give it more space now: below the required minimum, 3 % by default, the node shuts itself down.',
  },
  'chain-not-created': {
    meaning: 'The chain could not be created, mostly because its VM is not installed.',
    remedy: "Install the VM's plugin under the id that the error names and restart the node, or stop tracking the subnet.",
  },
  'vm-dead': {
    meaning: "The process of the chain's VM is gone.",
    remedy: "Look for the end of the plugin in the node's log and in the kernel's (out of memory), then restart the node.",
  },
  'vm-unhealthy': {
    meaning: "The chain's VM runs and says itself that it is unhealthy.",
    remedy: "Read the rest of the error: it is the VM's own text. Look for it in the log of the chain.",
  },
  'chain-starting': {
    meaning: 'The chain is created and its engine has not started.',
    remedy: 'Wait for the next health check run. If it stays so, look for the chain in the log of the node.',
  },
  'bls-key': {
    meaning: 'The node signs with another BLS key than the one that its validator is registered with.',
    remedy: 'Put the registered signer key back in its place and restart, or register the validator again with the new key.',
  },
  'partial-sync': {
    meaning: 'The node is a validator, yet is configured to sync the primary network in part.',
    remedy: 'Start it without --partial-sync-primary-network.',
  },
  upgrade: {
    meaning: 'Most of the stake expects a network upgrade that this version of the node does not.',
    remedy: 'Update the node before the time that the check names: afterwards it may fall out of consensus.',
  },
  'no-validators': {
    meaning: 'The node knows of no validator at present.',
    remedy: 'Wait until P has bootstrapped. If it has, look whether the node is on the right network.',
  },
  bootstrapping: {
    meaning: 'Subnets are still bootstrapping: the check lists which.',
    remedy:
      "Wait, while their chains' heights grow in the log. If one stands still, look at its peers and at its chains' checks.",
  },
  peers: {
    meaning: 'The node is connected to fewer peers than it must be.',
    remedy: 'Look at the network of the node, at its bootstrap peers and at the staking port, 9651 by default.',
  },
  'no-inbound': {
    meaning: 'No peer has connected to the node from outside, though it is a validator.',
    remedy:
      'Open the staking port, 9651 by default, to the outside, and look whether the node announces its right public address.',
  },
  silence: {
    meaning: 'No message was received from the network, or none was sent to it, for too long.',
    remedy: 'Look at the network of the node. Beside lost peers it is their consequence.',
  },
  'send-failures': {
    meaning: 'Too many of the messages to peers could not be sent.',
    remedy: 'Look at the bandwidth of the node and at its CPU: a node that is too slow fills its queues.',
  },
  router: {
    meaning: 'Requests to peers wait too long for an answer, or too many of them do.',
    remedy: 'Look at the CPU and the disk of the node first, at its network then.',
  },
  other: {
    meaning: 'The check fails for a reason that is not known to snowgauge.',
    remedy: 'Read the error, and look for it in the log of the node.',
  },
  'block-processing': {
    meaning: 'Blocks of the chain are not decided in time.',
    remedy:
      'Compare with another node. If all have it, wait: a restart helps nobody. If this one alone, look at its CPU and disk.',
  },
  'stake-disconnected': {
    meaning: "The node is not connected to enough of the stake of the chain's validators.",
    remedy:
      'Look which validators are disconnected and whether they run and still have stake. If most of them are connected elsewhere, check the peers of this node.',
  },
};
