// Settings for labels on the own pod, from the configuration and the environment that the kubelet sets in every container.

import type { Config } from '../config/types.ts';
import type { ConfigError } from '../yaml/parse.ts';
import type { CommandContext } from './context.ts';
import type { Served } from './served.ts';

/** Undefined if pod labels are off. */
export const podLabelsOf = ({ kubernetes }: Config, env: CommandContext['env'], errors: ConfigError[]): Served['podLabels'] => {
  const { podName, podNamespace, serviceAccountDir, podLabels } = kubernetes;
  if (!podLabels.enabled || podName === undefined || podNamespace === undefined) return undefined;
  const server = apiServerOf(env) ?? '';
  if (server === '') {
    const message =
      'needs the address of the API server in KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT: they are set in every pod, and snowgauge does not seem to run in one';
    errors.push({ path: 'kubernetes.podLabels.enabled', message });
  }
  const { onShutdown, confirmEvery } = podLabels;
  return { server, serviceAccountDir, namespace: podNamespace, name: podName, onShutdown, confirmEvery };
};

/** From the environment that the kubelet sets in every container. Undefined outside of a pod. */
export const apiServerOf = ({
  KUBERNETES_SERVICE_HOST: host = '',
  KUBERNETES_SERVICE_PORT: port = '',
}: CommandContext['env']): string | undefined => {
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return host === '' || port === '' || !URL.canParse(server) ? undefined : server;
};
