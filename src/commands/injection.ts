// Whether the policy that injected this sidecar has changed since: by the ConfigMap of the policy, which the kubelet keeps up to date
// in the pod. So it needs no right to ask the API server.

import type { Config } from '../config/types.ts';
import { readText } from './read-text.ts';

/** Undefined for a sidecar that was not injected; resolves to undefined where the policy's revision is not mounted. */
export const injectionOutdated = ({
  kubernetes,
}: Pick<Config, 'kubernetes'>): (() => Promise<boolean | undefined>) | undefined => {
  const { injectionRevision: revision, injectionRevisionFile: file } = kubernetes;
  if (revision === undefined) return undefined;
  return async () => {
    const read = await readText(file);
    return read.kind === 'ok' ? read.text.trim() !== revision : undefined;
  };
};
