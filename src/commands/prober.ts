// The handler of /probe, if the configuration has modules.

import type { Budget } from '../client/budget.ts';
import type { Chosen } from '../metrics/layout.ts';
import type { ProbeDependencies } from '../probe/probe.ts';
import { createProber, type Prober } from '../probe/prober.ts';
import { logOnce } from '../target-update.ts';
import type { CommandContext } from './context.ts';
import type { Served } from './served.ts';

interface Dependencies
  extends Pick<CommandContext, 'now' | 'log' | 'signal'>,
    Pick<ProbeDependencies, 'userAgent' | 'wallOffset' | 'resolve'> {
  readonly budget: Budget;
}

export const proberOf = (
  setting: Served['probe'],
  { log, ...dependencies }: Dependencies,
  chosen?: Chosen,
): Prober | undefined => {
  if (setting === undefined) return undefined;
  const logged = new Set<string>();
  return createProber(setting, { ...dependencies, onFault: (target, fault) => logOnce(log, logged, target, fault) }, chosen);
};
