// The upgrades of the simulated network: all are past except the last, which is scheduled if the scenario says so.

import { parseInstant } from '../../protocol/time.ts';
import type { Simulation } from '../play.ts';
import { faultsOf } from '../scenario.ts';

const past = '2020-12-05T05:00:00Z';
const notScheduled = '9999-12-01T00:00:00Z';

/** Unix seconds of the last upgrade, as reported by peers that know of no other. */
export const lastUpgrade = parseInstant(past) ?? 0;

/** Time of the upgrade that the scenario schedules, in whole seconds. */
export const scheduledUpgrade = ({ scenario, epoch, faults, uptime, networkNow }: Simulation): number | undefined => {
  const [fault] = faultsOf(faults(), 'upgrade-scheduled');
  if (fault !== undefined) return Math.round(networkNow() - uptime() + fault.since + fault.in);
  return scenario.helicon === undefined ? undefined : Math.round(epoch + scenario.helicon);
};

/** The same; undefined if the release of this node does not know it. */
export const knownUpgrade = (simulation: Simulation): number | undefined =>
  faultsOf(simulation.faults(), 'upgrade-scheduled')[0]?.known === false ? undefined : scheduledUpgrade(simulation);

/** With the order and the members of a real node. */
export const simulatedUpgrades = (simulation: Simulation): Readonly<Record<string, string | number>> => {
  const at = knownUpgrade(simulation);
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
