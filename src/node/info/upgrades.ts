// The upgrades of the simulated network: all are in the past but the last, which is scheduled where the scenario says so.

import { parseInstant } from '../../protocol/time.ts';
import { type ActiveFault, faultsOf } from '../scenario.ts';

const past = '2020-12-05T05:00:00Z';
const notScheduled = '9999-12-01T00:00:00Z';

/** Unix seconds of the last upgrade: what a peer says that knows of no other. */
export const lastUpgrade = parseInstant(past) ?? 0;

interface Network {
  readonly faults: () => readonly ActiveFault[];
  /** Seconds since the start, and since the Unix epoch by the node's clock. */
  readonly uptime: () => number;
  readonly now: () => number;
}

/** When the upgrade comes that the scenario schedules, in whole seconds of the node's clock. */
export const scheduledUpgrade = ({ faults, uptime, now }: Network): number | undefined => {
  const [fault] = faultsOf(faults(), 'upgrade-scheduled');
  return fault === undefined ? undefined : Math.round(now() - uptime() + fault.since + fault.in);
};

/** In the order and with the members of a real node. */
export const simulatedUpgrades = (network: Network): Readonly<Record<string, string | number>> => {
  const at = scheduledUpgrade(network);
  return {
    apricotPhase1Time: past,
    apricotPhase2Time: past,
    apricotPhase3Time: past,
    apricotPhase4Time: past,
    apricotPhase4MinPChainHeight: 0,
    apricotPhase5Time: past,
    apricotPhasePre6Time: past,
    apricotPhase6Time: past,
    apricotPhasePost6Time: past,
    banffTime: past,
    cortinaTime: past,
    cortinaXChainStopVertexID: '11111111111111111111111111111111LpoYY',
    durangoTime: past,
    etnaTime: past,
    fortunaTime: past,
    graniteTime: past,
    graniteEpochDuration: 30_000_000_000,
    heliconTime: at === undefined ? notScheduled : new Date(at * 1000).toISOString().replace('.000Z', 'Z'),
  };
};
