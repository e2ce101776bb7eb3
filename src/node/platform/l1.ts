// The validators of L1s: they pay a fee per second from a balance, and are inactive once it is empty.

import type { CheckContext } from '../health/context.ts';
import { faultsOf, idFor, subnetIdOf } from '../scenario.ts';

export interface L1Validator {
  readonly nodeId: string;
  readonly subnetId: string;
  readonly validationId: string;
  /** In the L1's own unit. */
  readonly weight: number;
  /** Seconds since the Unix epoch. */
  readonly startTime: number;
  /** nAVAX left at `paidUntil`. */
  readonly deposit: bigint;
  readonly paidUntil: number;
}

/** In nAVAX; 0 if inactive. `price`: nAVAX per second. */
export const balanceAt = ({ deposit, paidUntil }: L1Validator, price: number, at: number): bigint => {
  const left = deposit - BigInt(price) * BigInt(Math.floor(at) - Math.floor(paidUntil));
  return left > 0n ? left : 0n;
};

/** Seconds before the node's first start. */
const validatesFor = 30 * 86_400;

/** This node, which need not validate the Primary Network, and the first of the others. */
export const l1Validators = (context: CheckContext): readonly L1Validator[] => {
  const { scenario, epoch, faults, networkNow, uptime } = context;
  const { registeredId, others } = context.standing();
  return scenario.subnets.flatMap(({ name, l1 }) => {
    if (l1 === undefined) return [];
    const subnetId = subnetIdOf(scenario, name);
    const [empty] = faultsOf(faults(), 'balance-runs-out').filter(
      ({ subnet }) => subnet === undefined || subnetIdOf(scenario, subnet) === subnetId,
    );
    const one = (nodeId: string): L1Validator => ({
      nodeId,
      subnetId,
      validationId: idFor('validation', subnetId, nodeId),
      weight: l1.weight,
      startTime: Math.floor(epoch) - validatesFor,
      deposit: l1.balance,
      paidUntil: epoch,
    });
    // Lasts exactly until then at the current price.
    const until = empty === undefined ? undefined : { deposit: 0n, paidUntil: networkNow() - uptime() + empty.since + empty.in };
    return [{ ...one(registeredId), ...until }, ...others.slice(0, l1.validators).map(one)];
  });
};
