// The share of the stake of the Primary Network that the node is connected to.

import { fieldOf } from '../../metrics/message.ts';
import type { HealthReport } from '../../protocol/health.ts';

/** When the check P ran that reports it; node's clock. Undefined if it has not run. */
export const connectedStakeAt = (report: HealthReport | undefined): number | undefined => {
  const { timestamp } = report?.checks.get('P') ?? {};
  return typeof timestamp === 'number' ? timestamp : undefined;
};

/** As a ratio, from an untagged report. Undefined if its check P does not report it. */
export const connectedStake = (report: HealthReport | undefined): number | undefined => {
  const message = report?.checks.get('P')?.message;
  const connected = message === undefined ? undefined : fieldOf(message, 'networking.percentConnected');
  return typeof connected === 'number' ? connected : undefined;
};
