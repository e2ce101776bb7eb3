// All chains created by the P-Chain, as it lists them: without itself.

import { encodeCb58 } from '../../protocol/id.ts';
import type { WireBlockchain } from '../../protocol/platform-wire.ts';
import type { PlannedChain } from '../scenario.ts';

/** Built-in VMs, by chain name. */
const ownVms: ReadonlyMap<string, string> = new Map([
  ['C', 'evm'],
  ['X', 'avm'],
]);

/** A VM's id is its name, padded to 32 bytes. An id in the scenario is used as it is. */
export const vmIdOf = (vm: string): string =>
  vm.length > 32 ? vm : encodeCb58(Buffer.alloc(32).fill(vm, 0, Math.min(32, vm.length)));

/** Subnets first, then C and X, as on the captured network. */
export const blockchainsOf = (planned: readonly PlannedChain[]): readonly WireBlockchain[] => {
  const own = (name: string) => planned.filter((chain) => chain.vmId === undefined && chain.name === name);
  return [...planned.filter(({ vmId }) => vmId !== undefined), ...own('C'), ...own('X')].map(({ id, name, subnetId, vmId }) => ({
    id,
    name: vmId === undefined ? `${name}-Chain` : name,
    subnetID: subnetId,
    vmID: vmIdOf(vmId ?? ownVms.get(name) ?? name),
  }));
};
