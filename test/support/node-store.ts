// Prepares a store before a node starts on it, and starts chains on it without a socket.

import { silentLog } from '../../src/log.ts';
import { type ContainerIndex, openIndex } from '../../src/node/index/container-index.ts';
import type { Store } from '../../src/node/index/store.ts';
import type { AcceptedContainer } from '../../src/node/index/stored-container.ts';
import { type Chains, type ChainsEffects, type ChainsOptions, startChains } from '../../src/node/network/chains.ts';
import type { ChainStatus } from '../../src/node/network/live-chain.ts';
import { type ChainShape, simulateChain } from '../../src/node/network/simulated-chain.ts';
import { encodeCb58, idOf, primaryNetworkId } from '../../src/protocol/id.ts';
import type { IndexName } from '../../src/protocol/paths.ts';

/** An id that is recognizable by its first bytes. */
export const testId = (name: string): string => encodeCb58(Buffer.from(name.padEnd(32, '.')).subarray(0, 32));

export const testChain = (name: string, history: number, blockIntervalSeconds = 1, subnetId = primaryNetworkId): ChainShape => ({
  name,
  id: testId(name),
  subnetId,
  history,
  blockIntervalSeconds,
});

/** Appends an entry to an index. */
export const appendTo = async (
  store: Store,
  name: IndexName,
  containers: readonly AcceptedContainer[],
  timestamp: string,
): Promise<ContainerIndex> => {
  const index = await openIndex(store, name);
  const { puts, written } = index.append(containers, timestamp);
  await store.write(puts);
  written();
  return index;
};

/** A store that outlives the nodes that use it, like a data dir. */
export const kept = (store: Store): Required<Pick<ChainsEffects, 'openStore'>> => ({
  openStore: async () => ({ kind: 'ok', store: { ...store, close: async () => undefined } }),
});

export const testEpoch = 1_800_000_000;

const defaults: ChainsOptions = {
  seed: 1,
  chains: [testChain('P', 5), testChain('X', 4), testChain('C', 3)],
  dialect: 'avalanchego',
  indexEnabled: true,
  indexAllowIncomplete: false,
  utcOffsetMinutes: 0,
};

/** Chains that advance only by ticks, started at testEpoch unless `effects` overrides it. */
export const startTestChains = (
  options: Partial<ChainsOptions> = {},
  effects: Partial<ChainsEffects> = {},
): ReturnType<typeof startChains> =>
  startChains({ ...defaults, ...options }, { now: () => testEpoch, log: silentLog, ...effects });

/** As startTestChains; throws on an error. */
export const runningChains = async (
  options: Partial<ChainsOptions> = {},
  effects: Partial<ChainsEffects> = {},
): Promise<Chains> => {
  const started = await startTestChains(options, effects);
  if (started.kind === 'refused') throw new Error(started.message);
  return started.chains;
};

/** Ticks after which any chain with a short history has bootstrapped, including those after P. */
export const roundsToBootstrap = 5;

export const bootstrapped = async (chains: Chains, at = testEpoch): Promise<Chains> => {
  for (let round = 0; round < roundsToBootstrap; round += 1) await chains.tick(at);
  return chains;
};

/** The result of an index method as parsed JSON, or `{ error }`. */
export const ask = async (
  chains: Chains,
  name: IndexName,
  methodName: string,
  params: Readonly<Record<string, unknown>> = {},
): Promise<unknown> => {
  const method = chains.indexService(name)?.methods.get(methodName);
  if (method === undefined) return { error: '404' };
  const reply = await method(Object.entries(params).map(([key, value]) => [key.toLowerCase(), JSON.stringify(value)]));
  if (reply === undefined) return { error: 'argument error' };
  return reply.kind === 'result' ? JSON.parse(reply.json) : { error: reply.message };
};

export const statusOf = (chains: Chains, name: string): ChainStatus | undefined =>
  chains.statuses().find((status) => status.name === name);

/** The ids of the first 1024 containers. */
export const idsOf = async (chains: Chains, index: IndexName): Promise<readonly unknown[]> => {
  const range = await ask(chains, index, 'getContainerRange', { numToFetch: '1024' });
  const containers = Array.isArray(range) ? range : Object.values(Object(range)).flat();
  return containers.map((container) => Object(container).id);
};

/** Numbers below `end` that the index has a container for. */
export const numbersOf = async (chains: Chains, index: IndexName, end: number): Promise<readonly number[]> => {
  const numbers = Array.from({ length: end }, (_, number) => number);
  const found = numbers.map(
    async (number) => Object(await ask(chains, index, 'getContainerByIndex', { index: `${number}` })).index,
  );
  return (await Promise.all(found)).filter((number) => number !== undefined).map(Number);
};

/** The block ids that the network requires in the index. */
export const recordOf = (name: string, history: number, height: number): readonly string[] => {
  const chain = simulateChain(1, testEpoch, testChain(name, history));
  return Array.from({ length: height }, (_, at) => idOf(chain.block(at + 1).bytes));
};
