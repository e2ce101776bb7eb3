// The real numbers of docs/probes.md, for the soak: 10 s × 360, 20 s × 20.

import { container, podOf, target } from './pods.ts';
import type { ContainerStatus, Space } from './release.ts';

export const name = 'drill-snowgauge-0';
export const node = { healthCheckFrequency: '30s', resources: {} };
export const config = { targets: [target({ healthCheckFrequency: '30s', timeout: '10s' })] };
export const asksNode = { startup: { enabled: true }, liveness: { enabled: true }, node: { host: '0.0.0.0', scheme: 'HTTP' } };
const onSnowgauge = { enabled: true, source: 'snowgauge' };
export const asksSnowgauge = { startup: onSnowgauge, liveness: onSnowgauge, mayRestartHealthyNodes: true };

/** Polls rarely, because each check starts a process. */
export const rarely = (seconds: number) => ({ timeoutMs: seconds * 1000, everyMs: 5000 });

export const nodeStatus = async (space: Space): Promise<ContainerStatus> => container(await podOf(space, name), 'node');

export const configMap = (called: string, text: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: called },
  data: { 'snowgauge.yaml': text },
});
