// All cases.

import type { Fires, Quiet } from './case.ts';
import { exporterFires, exporterQuiet } from './exporter-cases.ts';
import { healthFires, healthQuiet } from './health-cases.ts';
import { indexFires, indexQuiet } from './index-cases.ts';
import { networkFires, networkQuiet } from './network-cases.ts';
import { sloFires, sloQuiet } from './slo-cases.ts';

export const fires: readonly Fires[] = [...exporterFires, ...healthFires, ...networkFires, ...indexFires, ...sloFires];
export const quiet: readonly Quiet[] = [...exporterQuiet, ...healthQuiet, ...networkQuiet, ...indexQuiet, ...sloQuiet];
