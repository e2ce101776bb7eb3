// Schema of the scenario file: the simulated network, and when which faults occur. docs/scenario.md shows each fault.

import * as z from 'zod/mini';
import { decodeId } from '../protocol/id.ts';
import { indexNames } from '../protocol/paths.ts';
import { goDuration } from '../protocol/scalars.ts';
import { distinct } from '../yaml/rules.ts';

/** Ten years. */
const max = '87600h';
const day = 86_400;
/** Written as in Go, parsed to seconds. */
export const duration = goDuration('0s', max);
export const period = goDuration('1ms', max);
const offset = goDuration(`-${max}`, max);

const id = z.string().check(z.refine((text) => decodeId(text) !== undefined, 'is not an id: 32 bytes in cb58'));
const count = z.int().check(z.minimum(0));
const name = z.string().check(z.minLength(1));
const fraction = z.number().check(z.minimum(0), z.maximum(1));
const percentage = z.int().check(z.minimum(0), z.maximum(100));
/** Written in AVAX, parsed to nAVAX. */
const avax = (min: number) =>
  z.pipe(
    z.number().check(z.minimum(min), z.maximum(1e9)),
    z.transform((amount): bigint => BigInt(Math.round(amount * 1e9))),
  );
const path = z.optional(z.string().check(z.startsWith('/', 'must begin with /')));

const utcOffset = z.pipe(
  z.string().check(z.regex(/^[+-](?:[01]\d|2[0-3]):[0-5]\d$/, 'is not an offset from UTC: write it like +05:30')),
  z.transform((text): number => (text.startsWith('-') ? -1 : 1) * (Number(text.slice(1, 3)) * 60 + Number(text.slice(4)))),
);

/** Active from `at` (since the start) on, for `for`, and again after each `every`. */
const when = { at: duration, for: z.optional(period), every: z.optional(period) };

const fault = <Kind extends string, Shape extends z.core.$ZodShape>(kind: Kind, shape: Shape) =>
  z.strictObject({ fault: z.literal(kind), ...when, ...shape });

export const faultSchema = z
  .discriminatedUnion('fault', [
    fault('check-fails', { check: name, error: z._default(z.string(), 'drill'), message: z.optional(z.unknown()) }),
    fault('check-flaps', { check: name, period, error: z._default(z.string(), 'drill') }),
    fault('check-hangs', { check: name }),
    fault('check-vanishes', { check: name }),
    fault('check-never-runs', { check: name }),
    fault('check-unencodable', { check: name }),
    fault('stake-disconnects', { chain: name, percentConnected: fraction }),
    fault('chain-stuck', { chain: name }),
    fault('chain-dead', { chain: name }),
    fault('subnet-bootstraps', { subnet: name }),
    fault('peers-leave', { peers: z._default(count, 0) }),
    fault('disk-fills', { availableBytes: z.optional(count), availablePercentage: z.optional(percentage) }),
    fault('time-freezes', {}),
    fault('clock-skewed', { offset }),
    fault('api-slow', { delay: period, path }),
    fault('api-silent', { path }),
    fault('api-refuses', {}),
    fault('api-resets', { path }),
    fault('api-forbids', { path }),
    fault('api-status', { status: z.int().check(z.minimum(200), z.maximum(599)), path }),
    fault('api-garbage', { path }),
    fault('api-empty', { path }),
    fault('api-truncates', { path }),
    fault('api-huge', { bytes: z.int().check(z.minimum(1)), path }),
    fault('key-replaced', { seed: z.optional(count) }),
    fault('upgrade-scheduled', { in: duration, known: z.optional(z.boolean()) }),
    fault('peers-upgrade', { version: name, share: z._default(fraction, 0.8) }),
    fault('uptime-falls', {
      to: fraction,
      over: z.optional(duration),
      share: z.optional(fraction),
      /** Seed of another embedded node, whose uptime as seen by this one falls. */
      node: z.optional(count),
    }),
    fault('staking-ends', { in: duration }),
    fault('balance-runs-out', { in: duration, subnet: z.optional(name) }),
    fault('index-stalls', { index: z.enum(indexNames) }),
    fault('index-loses-container', { index: z.enum(indexNames) }),
    fault('node-shuts-down', {}),
    fault('node-restarts', {}),
  ])
  .check(
    z.refine((given) => given.every === undefined || (given.for !== undefined && given.for < given.every), {
      error: 'with `every` needs a `for` that is shorter',
      path: ['every'],
    }),
    z.refine((given) => given.fault !== 'node-restarts' || given.for !== undefined, {
      error: 'is missing: how long the node is down',
      path: ['for'],
    }),
    z.refine(
      (given) => given.fault !== 'disk-fills' || (given.availableBytes ?? given.availablePercentage) !== undefined,
      'needs availableBytes or availablePercentage',
    ),
  );

const chain = {
  /** Blocks that the network had accepted before the start. */
  history: z._default(count, 20),
  blockInterval: z._default(period, 5),
};

const subnetChain = z.strictObject({
  /** The operator's alias; by default the chain's check is named by its id. */
  alias: z.optional(name),
  id: z.optional(id),
  vm: z._default(name, 'subnetevm'),
  /** The VM is not installed: the chain cannot be created. */
  vmMissing: z._default(z.boolean(), false),
  ...chain,
});

/** A subnet that is an L1: this node and `validators` others validate it for a continuous fee. */
const l1 = z.strictObject({
  validators: z._default(count, 4),
  weight: z._default(count, 100),
  /** AVAX left for the fee when the node first starts. */
  balance: z._default(avax(0), 5_000_000_000n),
});

const subnet = z.strictObject({ name, id: z.optional(id), l1: z.optional(l1), chains: z._default(z.array(subnetChain), []) });

/** Stake of this node. */
export const validatorSchema = z.strictObject({
  stake: z._default(avax(1), 500_000_000_000_000n),
  delegated: z._default(avax(0), 120_000_000_000_000n),
  delegators: z._default(count.check(z.maximum(10_000)), 12),
  /** Ratio of the delegators' rewards; the network's minimum is 2 %. */
  delegationFee: z._default(z.number().check(z.minimum(0.02), z.maximum(1)), 0.02),
  /** Time from the start of its staking period to the node's first start, and length of that period. */
  since: z._default(duration, 90 * day),
  period: z._default(period, 365 * day),
  /** Uptime seen by the others until the node first starts. */
  uptime: z._default(fraction, 0.998),
});

const primaryChain = z.prefault(z.nullable(z.strictObject(chain)), {});

export const scenarioSchema = z.strictObject({
  seed: z.optional(count),
  utcOffset: z._default(utcOffset, 0),
  /** 1 is mainnet, 5 is fuji. */
  networkId: z._default(z.int().check(z.minimum(1), z.maximum(0xffff_ffff)), 12_345),
  peers: z._default(count, 24),
  /** Validators of the Primary Network besides this node. */
  validators: z._default(count, 20),
  /** Seeds of other embedded nodes that are validators of the same network. */
  nodes: z._default(z.array(count), []),
  /** Null if this node is not a validator. */
  validator: z.prefault(z.nullable(validatorSchema), {}),
  /** Time of the Helicon upgrade, from the node's first start; not scheduled if absent. */
  helicon: z.optional(offset),
  /** nAVAX per second, for each validator of an L1. */
  l1Fee: z._default(count, 512),
  /** If false, the network check never fails: for a node alone on its machine. */
  sybilProtection: z._default(z.boolean(), true),
  disk: z.prefault(
    z.strictObject({ warningPercentage: z._default(percentage, 10), requiredPercentage: z._default(percentage, 3) }),
    {},
  ),
  /** P, X and C exist unless they are null. */
  chains: z.prefault(z.strictObject({ P: primaryChain, X: primaryChain, C: primaryChain }), {}),
  subnets: z._default(z.array(subnet).check(distinct('name'), distinct('id')), []),
  faults: z._default(z.array(faultSchema), []),
});

export type Scenario = z.output<typeof scenarioSchema>;

/** A fault as written in the file, with durations in seconds. */
export type Fault = Scenario['faults'][number];

export type FaultKind = Fault['fault'];
