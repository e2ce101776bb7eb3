// The table of all requests of the interface, shared by client and embedded node: path, parameters and result. The client's functions and
// the node's handlers get their types from it: if one of them lacks a row, it does not compile.

import * as z from 'zod/mini';
import { container, maxFetchedByRange, uint64, type WireContainer } from './container.ts';
import { isObject } from './foreign-text.ts';
import { healthReport } from './health.ts';
import {
  bootstrappedAnswer,
  networkIdAnswer,
  networkNameAnswer,
  nodeIdAnswer,
  peersAnswer,
  upgradesAnswer,
  uptimeAnswer,
  versionAnswer,
  type WireTxFees,
  type WireVms,
  wireRows,
} from './info.ts';
import { healthPaths, type ServiceName } from './paths.ts';
import {
  blockchainsAnswer,
  currentValidatorsAnswer,
  heightAnswer,
  l1ValidatorAnswer,
  timestampAnswer,
  validatorFeeStateAnswer,
} from './platform.ts';
import type { WireFeeState, WireMinStake, WireSubnet, WireSupply } from './platform-wire.ts';

/** The type of each kind of parameter. Kinds that end with `?` are optional. */
export interface ParamTypes {
  readonly id: string;
  readonly 'id?': string;
  /** Each element is a NodeID. */
  readonly 'nodeIds?': readonly string[];
  readonly uint64: bigint;
  readonly 'encoding?': string;
  readonly 'text?': string;
  readonly 'texts?': readonly string[];
}

export type ParamKind = keyof ParamTypes;

type Schema = z.core.$ZodType;

interface MethodRow<Service extends ServiceName> {
  readonly service: Service;
  readonly params: Readonly<Record<string, ParamKind>>;
  readonly result: Schema;
}

/** Method names begin with the name of their service. */
type MethodRows = { readonly [Service in ServiceName as `${Service}.${string}`]: MethodRow<Service> };

const get = <Result, Wire>(path: string, result: z.core.$ZodType<Result, Wire>) => ({ path, result });

/** GET requests. Each accepts `tag` in the query, repeatedly. Liveness ignores it. */
export const gets = {
  health: get(healthPaths.health, healthReport),
  healthHealth: get(healthPaths.healthHealth, healthReport),
  readiness: get(healthPaths.readiness, healthReport),
  liveness: get(healthPaths.liveness, healthReport),
} as const;

const methodOf =
  <Service extends ServiceName>(service: Service) =>
  <const Params extends MethodRow<Service>['params'], Result, Wire>(params: Params, result: z.core.$ZodType<Result, Wire>) => ({
    service,
    params,
    result,
  });

const health = methodOf('health');
const index = methodOf('index');
const info = methodOf('info');
const platform = methodOf('platform');

// The interface documents an array, a real node returns an object. Both are accepted. With numToFetch 0, either the result or its
// `containers` is `null`.
type WireRange = readonly WireContainer[] | { readonly containers: readonly WireContainer[] | null } | null;

const range = z.pipe(
  z.pipe(
    z.custom<WireRange>(),
    z.transform((wire): readonly WireContainer[] =>
      wire === null ? [] : typeof wire === 'object' && 'containers' in wire ? (wire.containers ?? []) : wire,
    ),
  ),
  // Checks the length before the items, because each invalid item adds an issue.
  z.pipe(wireRows<WireContainer>(maxFetchedByRange), z.array(container)),
);

const encoding = 'encoding?';

/** For methods that the embedded node serves, like a real node, and that snowgauge never calls. */
const unread = <Wire>() => z.custom<Wire>(isObject, 'must be an object');

export const methods = {
  'health.health': health({ tags: 'texts?' }, healthReport),
  'health.readiness': health({ tags: 'texts?' }, healthReport),
  'health.liveness': health({ tags: 'texts?' }, healthReport),
  'index.getContainerByID': index({ id: 'id', encoding }, container),
  'index.getContainerByIndex': index({ index: 'uint64', encoding }, container),
  'index.getContainerRange': index({ startIndex: 'uint64', numToFetch: 'uint64', encoding }, range),
  'index.getIndex': index({ id: 'id', encoding }, z.object({ index: uint64 })),
  'index.getLastAccepted': index({ encoding }, container),
  'index.isAccepted': index({ id: 'id', encoding }, z.object({ isAccepted: z.boolean() })),
  'info.acps': info({}, unread<{ readonly acps: Readonly<Record<string, never>> }>()),
  'info.getNetworkID': info({}, networkIdAnswer),
  'info.getNetworkName': info({}, networkNameAnswer),
  'info.getNodeID': info({}, nodeIdAnswer),
  'info.getNodeIP': info({}, unread<{ readonly ip: string }>()),
  'info.getNodeVersion': info({}, versionAnswer),
  'info.getTxFee': info({}, unread<WireTxFees>()),
  'info.getVMs': info({}, unread<WireVms>()),
  'info.isBootstrapped': info({ chain: 'text?' }, bootstrappedAnswer),
  'info.peers': info({ nodeIDs: 'nodeIds?' }, peersAnswer),
  'info.upgrades': info({}, upgradesAnswer),
  'info.uptime': info({}, uptimeAnswer),
  'platform.getBlockchains': platform({}, blockchainsAnswer),
  'platform.getCurrentSupply': platform({ subnetID: 'id?' }, unread<WireSupply>()),
  // Without nodeIDs, the response of a mainnet node has thousands of validators.
  'platform.getCurrentValidators': platform({ subnetID: 'id?', nodeIDs: 'nodeIds?' }, currentValidatorsAnswer),
  'platform.getFeeState': platform({}, unread<WireFeeState>()),
  'platform.getHeight': platform({}, heightAnswer),
  'platform.getL1Validator': platform({ validationID: 'id' }, l1ValidatorAnswer),
  'platform.getMinStake': platform({ subnetID: 'id?' }, unread<WireMinStake>()),
  'platform.getSubnet': platform({ subnetID: 'id?' }, unread<WireSubnet>()),
  'platform.getTimestamp': platform({}, timestampAnswer),
  'platform.getValidatorFeeState': platform({}, validatorFeeStateAnswer),
} as const satisfies MethodRows;

export type Gets = typeof gets;
export type GetName = keyof Gets;
/** The parsed response of a GET request, and its form in JSON. */
export type GetResultOf<G extends GetName> = z.output<Gets[G]['result']>;
export type GetWireOf<G extends GetName> = z.input<Gets[G]['result']>;

export type Methods = typeof methods;
export type MethodName = keyof Methods;
/** The methods of one service, those of the index paths, and all others. */
export type MethodOf<Service extends ServiceName> = Extract<MethodName, `${Service}.${string}`>;
export type IndexMethod = MethodOf<'index'>;
export type NodeMethod = Exclude<MethodName, IndexMethod>;

/** The parsed result of a method, and its form in JSON. */
export type ResultOf<M extends MethodName> = z.output<Methods[M]['result']>;
export type WireOf<M extends MethodName> = z.input<Methods[M]['result']>;

type Kinds<M extends MethodName> = Methods[M]['params'];
type Optional<M extends MethodName> = { [N in keyof Kinds<M>]: Kinds<M>[N] extends `${string}?` ? N : never }[keyof Kinds<M>];
type ParamOf<M extends MethodName, N extends keyof Kinds<M>> = ParamTypes[Kinds<M>[N] & ParamKind];

/** The parameters for a call of the method. */
export type ParamsOf<M extends MethodName> = {
  readonly [N in Exclude<keyof Kinds<M>, Optional<M>>]: ParamOf<M, N>;
} & { readonly [N in Optional<M>]?: ParamOf<M, N> };

const isMethodOf =
  <Service extends ServiceName>(service: Service) =>
  (name: string): name is MethodOf<Service> =>
    name.startsWith(`${service}.`);

/** The methods of a service, in the order of the table. */
export const methodsOf = <Service extends ServiceName>(service: Service): readonly MethodOf<Service>[] =>
  Object.keys(methods).filter(isMethodOf(service));

const isGet = (name: string): name is GetName => name in gets;

/** The GET request that is served at this path. */
export const getAt = (path: string): GetName | undefined =>
  Object.keys(gets)
    .filter(isGet)
    .find((name) => gets[name].path === path);
