// What a node answers of the P-Chain at /ext/bc/P: validators, the fee of L1 validators, blockchains, height and time. One odd value
// costs that value, a row that cannot be told whose it is costs the row: no real answer of an L1 validator was captured.

import * as z from 'zod/mini';
import { uint64, uint64Of } from './container.ts';
import { isObject } from './foreign-text.ts';
import { maxRows, percentOf, shortTextOf, wireRows } from './info.ts';
import { isNodeId } from './node-id.ts';
import type { WireBlockchain, WireL1Record, WireValidator } from './platform-wire.ts';
import { instantOr } from './scalars.ts';

/** What may be missing, or be of another shape: undefined then. (`z.catch` would bring 45 KiB into what every command loads.) */
const lenient = <Output>(schema: z.core.$ZodType<Output>) =>
  z.optional(
    z.pipe(
      z.unknown(),
      z.transform((wire): Output | undefined => z.safeParse(schema, wire).data),
    ),
  );

const instant = instantOr('must be an RFC 3339 timestamp');

/** A validator of the Primary Network, of a legacy subnet or of an L1: what a kind of them does not have is undefined. */
export interface Validator {
  readonly nodeId: string;
  /** Of the transaction that began the period; not of an L1's. */
  readonly txId?: string | undefined;
  /** Stake in nAVAX, delegations not included; of a subnet or an L1 in its own unit. */
  readonly weight?: bigint | undefined;
  /** Of the staking period, in seconds since the Unix epoch. An L1 validator has no end. */
  readonly startTime?: number | undefined;
  readonly endTime?: number | undefined;
  /** nAVAX, as `accruedDelegateeReward`, the share of the delegators' rewards that the validator has earned so far. */
  readonly potentialReward?: bigint | undefined;
  readonly accruedDelegateeReward?: bigint | undefined;
  /** Percent of the delegators' rewards. */
  readonly delegationFee?: number | undefined;
  /** Percent of its period so far, as the asked node saw it. A node always says 100 of itself: never an answer to how it is doing. */
  readonly uptime?: number | undefined;
  /** To the asked node. */
  readonly connected?: boolean | undefined;
  readonly delegatorCount?: number | undefined;
  /** nAVAX delegated to it in all. */
  readonly delegatorWeight?: bigint | undefined;
  /** Of an L1 validator: its id; what is left for the continuous fee, in nAVAX, 0 once it is inactive; its last message's number. */
  readonly validationId?: string | undefined;
  readonly balance?: bigint | undefined;
  readonly minNonce?: bigint | undefined;
}

/** Rows of an answer, each read by itself: those that cannot be read are left out. By hand: a schema takes a third of a millisecond. */
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

/** Undefined where it cannot be told whose it is. */
const readValidator = (wire: Readonly<Record<string, unknown>>): Validator | undefined =>
  typeof wire.nodeID !== 'string' || !isNodeId(wire.nodeID)
    ? undefined
    : {
        nodeId: wire.nodeID,
        txId: shortTextOf(wire.txID),
        validationId: shortTextOf(wire.validationID),
        weight: uint64Of(wire.weight),
        startTime: secondsOf(wire.startTime),
        endTime: secondsOf(wire.endTime),
        potentialReward: uint64Of(wire.potentialReward),
        accruedDelegateeReward: uint64Of(wire.accruedDelegateeReward),
        delegationFee: percentOf(wire.delegationFee),
        uptime: percentOf(wire.uptime),
        connected: typeof wire.connected === 'boolean' ? wire.connected : undefined,
        delegatorCount: secondsOf(wire.delegatorCount),
        delegatorWeight: uint64Of(wire.delegatorWeight),
        balance: uint64Of(wire.balance),
        minNonce: uint64Of(wire.minNonce),
      };

export const currentValidatorsAnswer = z.object({ validators: rowsOf<WireValidator, Validator>(readValidator) });

/** Rows of a NodeID that are read: in the set of an L1 it may stand as a permissioned validator, too. */
const rowsOfEach = 8;

/** A result without the rows that were not asked for, which nobody reads: a node may answer with all of its network's. */
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

export interface L1Record extends Validator {
  readonly subnetId?: string | undefined;
  /** Of the P-Chain, when it was asked. */
  readonly height?: bigint | undefined;
}

export const l1ValidatorAnswer = z.pipe(
  z.custom<WireL1Record>(isObject, 'must be an object'),
  z.transform((record: WireL1Record, context): L1Record => {
    const wire: Readonly<Record<string, unknown>> = { ...record };
    const read = readValidator(wire);
    if (read !== undefined) return { ...read, subnetId: shortTextOf(wire.subnetID), height: uint64Of(wire.height) };
    context.issues.push({ code: 'custom', message: 'must be a NodeID', path: ['nodeID'], input: record });
    return z.NEVER;
  }),
);

/** `price`: nAVAX a second, today, for each active L1 validator. `timestamp`: seconds since the Unix epoch, P-Chain's time. */
export const validatorFeeStateAnswer = z.object({ excess: lenient(uint64), price: uint64, timestamp: lenient(instant) });

export interface Blockchain {
  readonly id: string;
  readonly subnetId: string;
  readonly name?: string | undefined;
  readonly vmId?: string | undefined;
}

const readBlockchain = (wire: Readonly<Record<string, unknown>>): Blockchain | undefined => {
  const [id, subnetId] = [shortTextOf(wire.id), shortTextOf(wire.subnetID)];
  if (id === undefined || subnetId === undefined) return undefined;
  return { id, subnetId, name: shortTextOf(wire.name), vmId: shortTextOf(wire.vmID) };
};

/** Of every subnet but the P-Chain, which is of none. Large on mainnet. */
export const blockchainsAnswer = z.object({ blockchains: rowsOf<WireBlockchain, Blockchain>(readBlockchain) });

export const heightAnswer = z.object({ height: uint64 });

/** Seconds since the Unix epoch, the P-Chain's time. */
export const timestampAnswer = z.object({ timestamp: instant });

/** A JSON-RPC answer of a chain that is not bootstrapped: HTTP 503 with this text. A state, no fault. */
export const notBootstrappedText = 'API call rejected because chain is not done bootstrapping';
