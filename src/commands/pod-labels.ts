// What keeping labels on the own pod needs, from the configuration and from what the kubelet tells every container.

import type { Config } from '../config/types.ts';
import type { Parsed } from '../yaml/parse.ts';
import type { CommandContext } from './context.ts';
import type { Served } from './serve.ts';

/** Empty where none are kept. */
export const podLabelsOf = ({ kubernetes }: Config, env: CommandContext['env']): Parsed<Pick<Served, 'podLabels'>> => {
  const { podName, podNamespace, serviceAccountDir, podLabels } = kubernetes;
  if (!podLabels.enabled || podName === undefined || podNamespace === undefined) return { kind: 'ok', value: {} };
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = env;
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (host === '' || port === '' || !URL.canParse(server)) {
    const message =
      'needs the address of the API server in KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT: they are set in every pod, and snowgauge does not seem to run in one';
    return { kind: 'invalid', errors: [{ path: 'kubernetes.podLabels.enabled', message }] };
  }
  const { onShutdown, confirmEvery } = podLabels;
  const pod = { server, serviceAccountDir, namespace: podNamespace, name: podName };
  return { kind: 'ok', value: { podLabels: { ...pod, onShutdown, confirmEvery } } };
};
