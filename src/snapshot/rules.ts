// By which rules a target is judged.

import type { TargetOptions } from './options.ts';

export type Readiness = TargetOptions['readiness'];

export const rulesOf = ({
  frozenAfter,
  readiness,
  liveness,
}: TargetOptions): Pick<TargetOptions, 'frozenAfter' | 'readiness' | 'liveness'> => ({ frozenAfter, readiness, liveness });
