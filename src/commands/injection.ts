// Whether the injection policy has changed since this sidecar was injected. Compares with the policy's ConfigMap, which the kubelet keeps
// up to date in the pod, so it needs no permission for the API server.

import type { Config } from '../config/types.ts';
import { readText } from './read-text.ts';

/** Undefined if the sidecar was not injected. Resolves to undefined if the policy's revision is not mounted. */
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
