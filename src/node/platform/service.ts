// The P-Chain at /ext/bc/P: JSON-RPC service `platform`.

import { primaryNetworkId } from '../../protocol/id.ts';
import type { WireOf } from '../../protocol/methods.ts';
import { notBootstrappedText } from '../../protocol/platform.ts';
import { formatInstant } from '../../protocol/time.ts';
import { nanosecondsOf } from '../clock.ts';
import { type Handlers, serviceOf } from '../handlers.ts';
import type { CheckContext } from '../health/context.ts';
import type { ChainStatus } from '../network/live-chain.ts';
import { errorReply } from '../reply.ts';
import { type RpcService, refused, returned } from '../rpc-server.ts';
import { blockchainsOf } from './blockchains.ts';
import { balanceAt, l1Validators } from './l1.ts';
import { l1Row, primaryRow, supply } from './rows.ts';
import { subnetOf } from './subnets.ts';

/** In nAVAX. */
const minStake = { minValidatorStake: `${2000e9}`, minDelegatorStake: `${25e9}` };
/** Lower minimums, by network id. */
const minStakes = new Map([[5, { minValidatorStake: `${1e9}`, minDelegatorStake: `${1e9}` }]]);

/** Each block has one transaction of 9109 gas; capacity, 1,000,000, is full again by the next. */
const afterOneTransaction = { capacity: 990_891, excess: 9109, price: 1 };

/** Response to any request while the chain is not bootstrapped. */
export const notBootstrapped = errorReply(503, notBootstrappedText);

/** Status of the P-Chain; undefined if it does not exist. */
export const platformChain = ({ chains }: CheckContext): ChainStatus | undefined =>
  chains.statuses().find(({ name, subnetId }) => name === 'P' && subnetId === primaryNetworkId);

export const platformService = (context: CheckContext, chain: ChainStatus): RpcService<'platform'> => {
  const { scenario, planned, networkNow, dialect } = context;
  const { networkId, l1Fee } = scenario;
  const timestamp = formatInstant(nanosecondsOf(Math.floor(chain.lastAcceptedAt)), scenario.utcOffset);
  const height = `${chain.lastAcceptedHeight}`;

  const primary = (nodeIds: readonly string[]) => {
    const { validators, connected, own, seen } = context.standing();
    const requested = nodeIds.length === 0 ? validators : validators.filter(({ nodeId }) => nodeIds.includes(nodeId));
    const withDelegators = new Set(nodeIds).size === 1;
    return requested.map((one) =>
      primaryRow(one, { networkId, uptime: seen(one), connected: one === own || connected.has(one.nodeId), withDelegators }),
    );
  };

  const l1Rows = () =>
    l1Validators(context).map((one) => ({ ...one, row: l1Row(one, networkId, balanceAt(one, l1Fee, networkNow())) }));

  const handlers: Handlers<'platform'> = {
    'platform.getBlockchains': () => returned({ blockchains: blockchainsOf(planned) }),
    'platform.getCurrentSupply': ({ subnetID }) =>
      subnetID === primaryNetworkId
        ? returned({ supply: `${supply}`, height })
        : refused('fetching current supply failed: not found'),
    'platform.getCurrentValidators': ({ subnetID, nodeIDs }) => {
      const rows =
        subnetID === primaryNetworkId
          ? primary(nodeIDs)
          : l1Rows()
              .filter(({ subnetId, nodeId }) => subnetId === subnetID && (nodeIDs.length === 0 || nodeIDs.includes(nodeId)))
              .map(({ row }) => row);
      return returned<WireOf<'platform.getCurrentValidators'>>({ validators: rows });
    },
    'platform.getFeeState': () => returned({ ...afterOneTransaction, timestamp }),
    'platform.getHeight': () => returned({ height }),
    'platform.getL1Validator': ({ validationID }) => {
      const found = l1Rows().find(({ validationId }) => validationId === validationID);
      return found === undefined
        ? refused(`fetching L1 validator "${validationID}" failed: not found`)
        : returned({ ...found.row, subnetID: found.subnetId, height });
    },
    'platform.getMinStake': ({ subnetID }) =>
      subnetID === primaryNetworkId
        ? returned(minStakes.get(networkId) ?? minStake)
        : refused(`failed fetching subnet transformation for ${subnetID}: not found`),
    'platform.getSubnet': ({ subnetID }) => {
      if (subnetID === primaryNetworkId) return refused("the primary network isn't a subnet");
      const found = subnetOf(context, subnetID);
      if (found !== undefined) return returned(found);
      // A chain's id is that of the transaction that created it.
      return refused(planned.some(({ id }) => id === subnetID) ? `"${subnetID}" is not a subnet` : 'not found');
    },
    'platform.getTimestamp': () => returned({ timestamp }),
    'platform.getValidatorFeeState': () => returned({ excess: 0, price: l1Fee, timestamp }),
  };
  return serviceOf('platform', handlers, dialect);
};
