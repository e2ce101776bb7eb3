// Every chain that the P-Chain has created, as it lists them: itself is not among them.

import { encodeCb58 } from '../../protocol/id.ts';
import type { WireBlockchain } from '../../protocol/platform-wire.ts';
import type { PlannedChain } from '../scenario.ts';

/** Those of the VMs that the node itself brings. */
const ownVms: ReadonlyMap<string, string> = new Map([
  ['C', 'evm'],
  ['X', 'avm'],
]);

/** A VM's id is its name, filled up to 32 bytes. What the scenario gives as an id is one already. */
export const vmIdOf = (vm: string): string =>
  vm.length > 32 ? vm : encodeCb58(Buffer.alloc(32).fill(vm, 0, Math.min(32, vm.length)));

/** Subnets first, then C and X, as on the network that was captured. */
export const blockchainsOf = (planned: readonly PlannedChain[]): readonly WireBlockchain[] => {
  const own = (name: string) => planned.filter((chain) => chain.vmId === undefined && chain.name === name);
  return [...planned.filter(({ vmId }) => vmId !== undefined), ...own('C'), ...own('X')].map(({ id, name, subnetId, vmId }) => ({
    id,
    name: vmId === undefined ? `${name}-Chain` : name,
    subnetID: subnetId,
    vmID: vmIdOf(vmId ?? ownVms.get(name) ?? name),
  }));
};
