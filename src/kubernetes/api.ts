// Sends the merge patch of the own pod's status to the API server. It can change labels, but, unlike a patch of the pod, not what the pod
// runs. The Kubernetes client library is not used: it takes 16 to 28 MiB, and only two files are needed, which exchange.ts reads.

import { parsedJson } from '../text.ts';
import { type Cluster, exchange, failed, member } from './exchange.ts';
import { prefix } from './labels.ts';
import type { FailedOutcome, PatchOutcome, PatchPod } from './outcome.ts';

export interface PodAddress extends Cluster {
  /** An https URL. */
  readonly server: string;
  readonly namespace: string;
  readonly name: string;
}

/** Pods are far smaller; etcd rejects objects above 1.5 MiB. */
const maxBytes = 4 * 1024 * 1024;
/**
 * Limits TCP connect and TLS handshake. If packets are dropped, the system retries after 1 s, then after 2 and 4 more: we tolerate one lost
 * packet, and then try again sooner ourselves. The limit also ends connections that a load balancer accepts for a server that is down.
 */
const defaultConnectMs = 1250;

/** What to do, for outcomes whose reason does not say it. */
const remedies: ReadonlyMap<FailedOutcome, string> = new Map([
  ['unauthorized', 'check that the token is of this cluster and has not expired'],
  ['forbidden', 'bind a Role that allows patch on pods/status'],
  ['not-found', 'set podName and podNamespace from the downward API'],
  ['timeout', 'look for a slow admission webhook'],
]);

export const podPatcher =
  (pod: PodAddress, connectMs = defaultConnectMs): PatchPod =>
  async (patch, deadlineMs, signal) => {
    const path = `/api/v1/namespaces/${encodeURIComponent(pod.namespace)}/pods/${encodeURIComponent(pod.name)}/status`;
    // A text, because a chunk takes some hundred bytes of memory, even one of a single byte.
    const decoder = new TextDecoder();
    let [body, size] = ['', 0];
    const end = await exchange(pod, path, signal, {
      patch: JSON.stringify({ metadata: patch }),
      deadlineMs,
      connectMs: Math.min(connectMs, deadlineMs),
      data: (bytes) => {
        size += bytes.length;
        body += decoder.decode(bytes, { stream: true });
        return size > maxBytes ? failed(`the response is larger than ${maxBytes} bytes`) : undefined;
      },
    });
    if (end.kind === 'expired') return { kind: 'http-status', reason: 'status 410' };
    if (end.kind === 'ended') return outcomeOf(body);
    const remedy = remedies.get(end.outcome);
    return { kind: end.outcome, reason: remedy === undefined ? end.reason : `${end.reason}: ${remedy}` };
  };

const outcomeOf = (body: string): PatchOutcome => {
  const metadata = member(parsedJson(body), 'metadata');
  if (typeof metadata !== 'object' || metadata === null) return { kind: 'malformed', reason: 'the response is not a pod' };
  const labels = member(metadata, 'labels');
  const own = Object.entries(typeof labels === 'object' && labels !== null ? labels : {});
  return {
    kind: 'ok',
    labels: new Map(own.filter(([key]) => key.startsWith(prefix)).map(([key, value]) => [key, String(value)])),
  };
};
