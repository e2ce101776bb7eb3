// All cases.

import type { Fires, Quiet } from './case.ts';
import { discoveryFires, discoveryQuiet } from './discovery-cases.ts';
import { exporterFires, exporterQuiet } from './exporter-cases.ts';
import { fleetFires, fleetQuiet } from './fleet-cases.ts';
import { healthFires, healthQuiet } from './health-cases.ts';
import { identityFires, identityQuiet } from './identity-cases.ts';
import { indexFires, indexQuiet } from './index-cases.ts';
import { networkFires, networkQuiet } from './network-cases.ts';
import { presenceFires, presenceQuiet } from './presence-cases.ts';
import { shardFires, shardQuiet } from './shard-cases.ts';
import { validatorFires, validatorQuiet } from './validator-cases.ts';

export const fires: readonly Fires[] = [
  ...exporterFires,
  ...presenceFires,
  ...discoveryFires,
  ...shardFires,
  ...healthFires,
  ...fleetFires,
  ...networkFires,
  ...identityFires,
  ...validatorFires,
  ...indexFires,
];
export const quiet: readonly Quiet[] = [
  ...exporterQuiet,
  ...presenceQuiet,
  ...discoveryQuiet,
  ...shardQuiet,
  ...healthQuiet,
  ...fleetQuiet,
  ...networkQuiet,
  ...identityQuiet,
  ...validatorQuiet,
  ...indexQuiet,
];
