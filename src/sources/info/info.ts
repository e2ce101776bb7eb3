// The source of POST /ext/info: the node's identity, network and version, and the versions of its peers. Polled rarely. A node that does
// not serve it is not at fault.

import type { Answer, Client } from '../../client/client.ts';
import type { HealthReport } from '../../protocol/health.ts';
import { networkNameOf } from '../../protocol/info.ts';
import type { LogEntry } from '../../snapshot/log-entry.ts';
import { lastValue, type Observed, observe, observeAnswer, observedAt, pending, valueIn } from '../../snapshot/observed.ts';
import { askNodeId, isOtherNode, mapped, maxUnanswered, refusals, type Shared, type Source, silences } from '../source.ts';
import { infoFamilies } from './families.ts';
import { countVersions } from './peer-versions.ts';
import {
  type InfoApi,
  type InfoAsked,
  type InfoState,
  lastVersion,
  type NextUpgrade,
  type PeerVersions,
  type Upgrades,
} from './state.ts';
import { type InfoStatus, infoFacts, infoStatus } from './status.ts';

interface Needs {
  readonly readiness: Answer<HealthReport>;
}

/** Seconds between two polls, unless the node restarts. */
const askEvery = 600;

const nothing: InfoState = {
  api: pending,
  version: pending,
  network: pending,
  upgrades: pending,
  peers: pending,
  unanswered: 0,
};

export const info: Source<InfoState, InfoAsked, Needs, InfoStatus> = {
  api: 'info',
  every: askEvery,
  start: (options, before = nothing) => (options.info ? before : nothing),
  ask: async ({ client, options, nodeId, before, shared, of }) => {
    // A path that never responds makes every poll that asks take the whole timeout, so the retries end until the source is due again.
    if (!options.info || before.unanswered >= maxUnanswered) return {};
    const [answer, readiness] = await Promise.all([askNodeId(client), of.readiness]);
    const api = asApi(answer, isOtherNode(nodeId, readiness?.nodeId) ? undefined : lastValue(before.api));
    return valueIn(api)?.state === 'on' ? { api, ...(await askRest(client, shared)) } : { api };
  },
  answers: everyAnswer,
  // `unanswered` is about the path: a node with a new NodeID in each poll must not make each poll take the whole timeout.
  replaced: (before) => ({ ...emptied(before), unanswered: before.unanswered }),
  observe: (last, asked, { restarted, of }) => {
    const { api } = asked;
    const before = restarted ? forgotten(last) : last;
    if (api === undefined) return { ...before, unanswered: 0 };
    const isSilent = everyAnswer(asked).some(({ outcome }) => silences.has(outcome.kind)) && of.readiness?.outcome.kind === 'ok';
    const unanswered = isSilent ? last.unanswered + 1 : 0;
    if (valueIn(api)?.state === 'off') return { ...emptied(before), api: observeAnswer(before.api, api) };
    return { ...observeRest(before, asked), api: observeAnswer(before.api, api), unanswered };
  },
  fail: (before, failure, at) => ({ ...before, api: observe(before.api, failure, at) }),
  observedAt: ({ api, version, network, upgrades, peers }) => observedAt([api, version, network, upgrades, peers]),
  ongoing: () => [],
  changes: (before, after) => changesOf(before, after),
  families: infoFamilies,
  status: infoStatus,
  facts: ({ info: status }) => infoFacts(status),
};

/** An API that is off is not a response: without others the poll has failed. */
function everyAnswer({ api, ...rest }: InfoAsked): readonly Answer<unknown>[] {
  return [...(api === undefined || isOff(api) ? [] : [api]), ...Object.values(rest)];
}

const isOff = (api: Answer<InfoApi>): boolean => valueIn(api)?.state === 'off';

/** If the API was never on, any response other than a NodeID means that it is not served. */
const asApi = (answer: Answer<unknown>, before: InfoApi | undefined): Answer<InfoApi> =>
  mapped<unknown, InfoApi>(
    answer,
    () => ({ state: 'on' }),
    (failure) => {
      const isNotFound = failure.kind === 'http-status' && failure.status === 404;
      return isNotFound || (before?.state !== 'on' && refusals.has(failure.kind))
        ? { kind: 'ok', value: { state: 'off' } }
        : failure;
    },
  );

const askRest = async (client: Client, { upgrades: askUpgrades }: Shared): Promise<Omit<InfoAsked, 'api'>> => {
  const [version, network, upgrades, peers] = await Promise.all([
    client.rpc('info.getNodeVersion', {}),
    client.rpc('info.getNetworkID', {}),
    askUpgrades(),
    client.rpc('info.peers', {}),
  ]);
  return {
    version: mapped(version, (value) => value.version),
    network: mapped(network, ({ networkID }) => networkNameOf(networkID)),
    // By the node's clock if its response has a Date header.
    upgrades: mapped(upgrades, (scheduled) => nextOf(scheduled, upgrades.date ?? upgrades.endedAt)),
    peers: mapped(peers, (value) => value.peers),
  };
};

const nextOf = (scheduled: ReadonlyMap<string, number>, now: number): Upgrades => {
  let next: NextUpgrade | undefined;
  for (const [name, at] of scheduled) if (at > now && (next === undefined || at < next.at)) next = { name, at };
  return next ? { next } : {};
};

/** Only the former version is kept, to tell whether the version changes. */
const emptied = (before: InfoState): InfoState => ({ ...nothing, formerVersion: lastVersion(before) });

/** A restart of the node does not change its network. */
const forgotten = (before: InfoState): InfoState => ({ ...emptied(before), api: before.api, network: before.network });

const observeRest = (before: InfoState, { version: answer, network, upgrades, peers }: InfoAsked): InfoState => {
  const version = observeAnswer(before.version, answer);
  const counted = peers && mapped(peers, (all): PeerVersions => countVersions(all, lastValue(version)));
  return {
    ...before,
    version,
    network: observeAnswer(before.network, network),
    upgrades: observeAnswer(before.upgrades, upgrades),
    peers: observeAnswer(before.peers, counted),
  };
};

const changesOf = (before: InfoState, after: InfoState): readonly LogEntry[] => {
  const changed = (of: (state: InfoState) => Observed<string>): string | undefined => {
    const value = lastValue(of(after));
    return value === lastValue(of(before)) ? undefined : value;
  };
  const [version, network] = [changed((state) => state.version), changed((state) => state.network)];
  if (version === undefined && network === undefined) return [];
  return [{ level: 'info', message: 'node identified', fields: { ...(version && { version }), ...(network && { network }) } }];
};
