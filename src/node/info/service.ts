// Information about the node: JSON-RPC service `info`.

import { networkNameOf } from '../../protocol/info.ts';
import type { WireOf } from '../../protocol/methods.ts';
import { goMap, goMembers, goString, goStruct, type Json } from '../go-json.ts';
import { type Handlers, serviceOf } from '../handlers.ts';
import type { CheckContext } from '../health/context.ts';
import { proofOf } from '../identity.ts';
import { vmIdOf } from '../platform/blockchains.ts';
import { percentText } from '../platform/rows.ts';
import { weightOf } from '../platform/stake-network.ts';
import { networkView } from '../platform/votes.ts';
import { type MethodReply, type RpcService, refused, returned } from '../rpc-server.ts';
import { simulatedPeers } from './peers.ts';
import { nodeVersion } from './release.ts';
import { txFeesOf } from './tx-fees.ts';
import { simulatedUpgrades } from './upgrades.ts';

/** Aliases of the built-in chains -> their names. */
const secondNames: ReadonlyMap<string, string> = new Map([
  ['platform', 'P'],
  ['avm', 'X'],
  ['evm', 'C'],
]);

export const infoService = (context: CheckContext): RpcService<'info'> => {
  const { nodeId, scenario, planned, chains, dialect } = context;
  const { networkId } = scenario;
  const handlers: Handlers<'info'> = {
    // No peer supports or objects to a proposal.
    'info.acps': () => returned({ acps: {} }),
    'info.getNodeID': () => returned({ nodeID: nodeId(), nodePOP: proofOf(nodeId()) }),
    'info.getNodeIP': () => returned({ ip: '127.0.0.1:9651' }),
    'info.getTxFee': () => returned(txFeesOf(networkId)),
    'info.getVMs': () => ({ kind: 'result', json: vmsJson(context) }),
    'info.getNodeVersion': () => ({ kind: 'result', json: versionJson(context) }),
    'info.getNetworkID': () => returned({ networkID: `${networkId}` }),
    'info.getNetworkName': () => returned({ networkName: networkId === 12_345 ? 'local' : networkNameOf(BigInt(networkId)) }),
    'info.isBootstrapped': ({ chain: given }) => {
      if (given === '') return refused("argument 'chain' not given");
      const chain = planned.find(({ name, id }) => name === given || id === given || name === secondNames.get(given));
      const status = chains.statuses().find(({ name }) => name === chain?.name);
      // An alias is known from the start, an id only once its chain is created.
      return status === undefined && (chain === undefined || chain.id === given)
        ? refused(`there is no chain with alias/ID '${given}'`)
        : returned({ isBootstrapped: status?.state === 'running' });
    },
    'info.peers': ({ nodeIDs }) => {
      const all = simulatedPeers(context);
      const peers = nodeIDs.length === 0 ? all : nodeIDs.flatMap((requested) => all.filter(({ nodeID }) => nodeID === requested));
      return returned<WireOf<'info.peers'>>({ numPeers: `${peers.length}`, peers });
    },
    'info.upgrades': () => returned(simulatedUpgrades(context)),
    'info.uptime': () => uptimeOf(context),
  };
  return serviceOf('info', handlers, dialect);
};

const featureExtensions = ['nftfx', 'propertyfx', 'secp256k1fx'];
/** The id of `platform` is derived from `platformvm`. */
const idOfOwn = (name: string): string => vmIdOf(name === 'platform' ? 'platformvm' : name);

/** Ids of the VMs that are installed besides the built-in ones. */
const pluginsOf = ({ planned }: CheckContext): readonly string[] => {
  const installed = planned.flatMap(({ vmId, vmMissing }) => (vmId === undefined || vmMissing ? [] : vmIdOf(vmId)));
  const own = Object.keys(nodeVersion.own).map(idOfOwn);
  return [...new Set(installed)].filter((vm) => !own.includes(vm));
};

const vmsJson = (context: CheckContext): Json<WireOf<'info.getVMs'>> => {
  const own = Object.keys(nodeVersion.own).map((name) => [idOfOwn(name), goStruct([name])] as const);
  const plugins = pluginsOf(context).map((vm) => [vm, goStruct<string[]>([])] as const);
  return goMembers<WireOf<'info.getVMs'>>({
    vms: goMap([...own, ...plugins]),
    fxs: goMap(featureExtensions.map((name) => [vmIdOf(name), goString(name)])),
  });
};

const versionJson = (context: CheckContext): Json<WireOf<'info.getNodeVersion'>> => {
  const { own, ofPlugins, ...release } = nodeVersion;
  const vms = [...Object.entries(own), ...pluginsOf(context).map((vm) => [vm, ofPlugins] as const)];
  return goMembers<WireOf<'info.getNodeVersion'>>({
    version: goStruct(release.version),
    databaseVersion: goStruct(release.databaseVersion),
    rpcProtocolVersion: goStruct(release.rpcProtocolVersion),
    gitCommit: goStruct(''),
    vmVersions: goMap(vms.map(([vm, version]) => [vm, goStruct(version)])),
  });
};

const notAValidator = "couldn't get node uptime: error while fetching local validator start time not found";

/** Without sybil protection the set is the node and its peers, which have not seen it for long enough to report more than 0. */
const uptimeOf = ({ scenario, peers, standing }: CheckContext): MethodReply<WireOf<'info.uptime'>> => {
  const { own, votes, whole, requirement } = standing();
  if (scenario.sybilProtection && own === undefined) return refused(notAValidator);
  const { rewardingStakePercentage, weightedAveragePercentage } =
    scenario.sybilProtection && own !== undefined
      ? networkView(weightOf(own), whole, votes(), requirement)
      : networkView(1, 1 + peers().connectedPeers, [], requirement);
  return returned({
    rewardingStakePercentage: percentText(rewardingStakePercentage),
    weightedAveragePercentage: percentText(weightedAveragePercentage),
  });
};
