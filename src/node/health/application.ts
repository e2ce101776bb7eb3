// The checks of the node as a whole, wired to what they look at. They are part of every answer.

import type { Dialect } from '../dialect.ts';
import type { ValidatorIds } from '../identity.ts';
import { type ActiveFault, faultsOf, type PlannedChain, type Scenario, subnetIdOf } from '../scenario.ts';
import { createdBy } from './chain-checks.ts';
import { bls, bootstrapped, diskspace, futureUpgrade, network, router } from './checks.ts';
import type { Disk, Sources } from './sources.ts';
import { applicationTag, type Check } from './worker.ts';

export interface HealthOptions {
  readonly scenario: Scenario;
  readonly planned: readonly PlannedChain[];
  readonly dialect: Dialect;
  readonly validators: ValidatorIds;
  readonly faults: () => readonly ActiveFault[];
}

export const applicationChecks = ({ dialect, scenario, faults }: HealthOptions, sources: Sources): readonly Check[] => {
  const { sybilProtection } = scenario;
  const runs: Readonly<Record<string, Check['run']>> = {
    network: () => network({ peers: sources.peers(), uptimeSeconds: sources.uptime(), sybilProtection, dialect }),
    router: () => router(sources.requests()),
    database: async () => {
      await sources.database();
      return {};
    },
    diskspace: async () => diskspace(filled(await sources.disk(), faults()), scenario.disk, dialect),
    ...(dialect === 'avalanchego' && { bls: () => bls, futureupgrade: () => futureUpgrade }),
  };
  return Object.entries(runs).map(([name, run]) => ({ name, tags: [applicationTag], run }));
};

/** The disk as the scenario fills it: what it says of bytes or percentage stands, and the other follows. */
const filled = (real: Disk, faults: readonly ActiveFault[]): Disk => {
  const [fault] = faultsOf(faults, 'disk-fills');
  if (fault === undefined) return real;
  const total = real.availablePercentage === 0 ? 0 : (real.availableBytes / real.availablePercentage) * 100;
  const { availableBytes, availablePercentage } = fault;
  if (availablePercentage !== undefined)
    return { availableBytes: availableBytes ?? Math.round((total * availablePercentage) / 100), availablePercentage };
  const bytes = availableBytes ?? 0;
  return { availableBytes: bytes, availablePercentage: total === 0 ? 0 : Math.floor((bytes / total) * 100) };
};

/** Any subnet that is not bootstrapped fails it, the primary network among them. */
export const bootstrappedCheck = ({ planned, scenario, faults }: HealthOptions, sources: Sources): Check => ({
  name: 'bootstrapped',
  tags: [applicationTag],
  run: () => {
    const statuses = sources.chains();
    const unfinished = statuses.filter(({ state }) => state !== 'running');
    const broken = createdBy(statuses, planned).filter(({ vmMissing }) => vmMissing);
    const forever = faultsOf(faults(), 'subnet-bootstraps').map(({ subnet }) => subnetIdOf(scenario, subnet));
    return bootstrapped([...new Set([...[...unfinished, ...broken].map(({ subnetId }) => subnetId), ...forever])].sort());
  },
});
