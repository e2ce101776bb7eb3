// Responses of /ext/bc/P: validators, the fee of L1 validators, blockchains, height and time. An invalid value only drops that value. A row
// without a valid owner is dropped. The format for L1 validators is not confirmed by a response of a real node.

import * as z from 'zod/mini';
import { uint64, uint64Of } from './container.ts';
import { isObject } from './foreign-text.ts';
import { maxRows, percentOf, shortTextOf, unreadField, wireRows } from './info.ts';
import { isNodeId } from './node-id.ts';
import type { WireBlockchain, WireL1Record, WireValidator } from './platform-wire.ts';
import { instantOr } from './scalars.ts';

/** A validator of the Primary Network, a legacy subnet or an L1. Fields that its kind does not have are undefined. */
export interface Validator {
  readonly nodeId: string;
  /** Stake in nAVAX without delegations. For a subnet or an L1, in its own unit. */
  readonly weight?: bigint | undefined;
  /** Staking period in Unix seconds. An L1 validator has no end. */
  readonly startTime?: number | undefined;
  readonly endTime?: number | undefined;
  /** nAVAX. */
  readonly potentialReward?: bigint | undefined;
  /** Percent of the period so far, as seen by the responding node. A node always reports 100 for itself, which means nothing. */
  readonly uptime?: number | undefined;
  readonly delegatorCount?: number | undefined;
  /** Total nAVAX delegated to it. */
  readonly delegatorWeight?: bigint | undefined;
  /** Only for an L1 validator: its ID, and its balance for the continuous fee in nAVAX, 0 if inactive. */
  readonly validationId?: string | undefined;
  readonly balance?: bigint | undefined;
}

/** Parses each row on its own, and leaves out invalid ones. Without a schema, which takes a third of a millisecond. */
const rowsOf = <Wire, Row>(read: (wire: Readonly<Record<string, unknown>>) => Row | undefined) =>
  z.pipe(
    wireRows<Wire>(),
    z.transform((rows: readonly Wire[]): readonly Row[] => {
      const found: Row[] = [];
      for (const wire of rows as readonly unknown[]) {
        const made = isObject(wire) ? read(wire) : undefined;
        if (made !== undefined) found.push(made);
      }
      return found;
    }),
  );

const secondsOf = (wire: unknown): number | undefined => {
  const whole = uint64Of(wire);
  return whole === undefined ? undefined : Number(whole);
};

/** Undefined without a valid NodeID. */
const readValidator = (wire: Readonly<Record<string, unknown>>): Validator | undefined =>
  typeof wire.nodeID !== 'string' || !isNodeId(wire.nodeID)
    ? undefined
    : {
        nodeId: wire.nodeID,
        validationId: shortTextOf(wire.validationID),
        weight: uint64Of(wire.weight),
        startTime: secondsOf(wire.startTime),
        endTime: secondsOf(wire.endTime),
        potentialReward: uint64Of(wire.potentialReward),
        uptime: percentOf(wire.uptime),
        delegatorCount: secondsOf(wire.delegatorCount),
        delegatorWeight: uint64Of(wire.delegatorWeight),
        balance: uint64Of(wire.balance),
      };

export const currentValidatorsAnswer = z.object({ validators: rowsOf<WireValidator, Validator>(readValidator) });

/** Maximum rows per NodeID: in an L1 it can also be a permissioned validator. */
const rowsOfEach = 8;

/** Drops rows that were not requested: a node may respond with all validators of its network. */
export const validatorsAmong = (result: unknown, nodeIds: readonly string[]): unknown => {
  if (!isObject(result) || !Array.isArray(result.validators) || result.validators.length > maxRows) return result;
  const left = new Map<unknown, number>(nodeIds.map((id) => [id, rowsOfEach]));
  const rows: readonly unknown[] = result.validators;
  const isAsked = (row: unknown): boolean => {
    const nodeId = isObject(row) ? row.nodeID : undefined;
    const more = left.get(nodeId) ?? 0;
    if (more > 0) left.set(nodeId, more - 1);
    return more > 0;
  };
  return { validators: rows.filter(isAsked) };
};

export const l1ValidatorAnswer = z.pipe(
  z.custom<WireL1Record>(isObject, 'must be an object'),
  z.transform((record: WireL1Record, context): Validator => {
    const read = readValidator({ ...record });
    if (read !== undefined) return read;
    context.issues.push({ code: 'custom', message: 'must be a NodeID', path: ['nodeID'], input: record });
    return z.NEVER;
  }),
);

/** `price`: current fee in nAVAX per second and active L1 validator. */
export const validatorFeeStateAnswer = z.object({ excess: unreadField, price: uint64, timestamp: unreadField });

export interface Blockchain {
  readonly id: string;
  readonly subnetId: string;
  readonly name?: string | undefined;
}

const readBlockchain = (wire: Readonly<Record<string, unknown>>): Blockchain | undefined => {
  const [id, subnetId] = [shortTextOf(wire.id), shortTextOf(wire.subnetID)];
  if (id === undefined || subnetId === undefined) return undefined;
  return { id, subnetId, name: shortTextOf(wire.name) };
};

/** The blockchains of all subnets, except the P-Chain, which belongs to none. Large on mainnet. */
export const blockchainsAnswer = z.object({ blockchains: rowsOf<WireBlockchain, Blockchain>(readBlockchain) });

export const heightAnswer = z.object({ height: uint64 });

/** Unix seconds by the P-Chain. */
export const timestampAnswer = z.object({ timestamp: instantOr('must be an RFC 3339 timestamp') });

/** JSON-RPC error text of a chain that is not bootstrapped, with HTTP status 503. It is a state, not a fault. */
export const notBootstrappedText = 'API call rejected because chain is not done bootstrapping';
