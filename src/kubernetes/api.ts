// Sends the merge patch of the own pod's status to the API server. It can change labels, but, unlike a patch of the pod, not what the pod
// runs. The Kubernetes client library is not used: it takes 16 to 28 MiB, and we only need two files that are read here.

import { request } from 'node:https';
import type { LookupFunction } from 'node:net';
import { boundInformational, stopParsing } from '../informational.ts';
import { codeOf, parsedJson } from '../text.ts';
import { credentialsOf, member, type ServiceAccount, shownOf, untrustedApi } from './exchange.ts';
import { prefix } from './labels.ts';
import type { PatchOutcome, PatchPod } from './outcome.ts';

export interface PodAddress {
  /** An https URL. */
  readonly server: string;
  /** The folder with `token` and `ca.crt`. */
  readonly serviceAccountDir: string;
  readonly namespace: string;
  readonly name: string;
  /** DNS lookup of the process. Default: that of Node.js. */
  readonly lookup?: LookupFunction | undefined;
}

/** Pods and the files are far smaller; etcd rejects objects above 1.5 MiB. */
const maxBytes = 4 * 1024 * 1024;
/** Each chunk takes some hundred bytes of memory, even one of a single byte. Those of a real server are kilobytes. */
const maxPieces = 10_000;
/**
 * Limits TCP connect and TLS handshake. If packets are dropped, the system retries after 1 s, then after 2 and 4 more: we tolerate one lost
 * packet, and then try again sooner ourselves. The limit also ends connections that a load balancer accepts for a server that is down.
 */
const defaultConnectMs = 1250;

export const podPatcher =
  (pod: PodAddress, connectMs = defaultConnectMs): PatchPod =>
  async (patch, deadlineMs, signal) => {
    try {
      return await send(pod, await credentialsOf(pod), JSON.stringify({ metadata: patch }), { deadlineMs, connectMs }, signal);
    } catch (error) {
      // The files cannot be read, or do not contain a token and certificates. The error shows the content of neither.
      return { kind: 'unreachable', reason: `${pod.serviceAccountDir}: ${codeOf(error)}` };
    }
  };

const send = (
  { server, namespace, name, lookup }: PodAddress,
  { ca, token }: ServiceAccount,
  body: string,
  { deadlineMs, connectMs }: { readonly deadlineMs: number; readonly connectMs: number },
  signal: AbortSignal,
): Promise<PatchOutcome> =>
  new Promise((resolve) => {
    // Each request has its own connection, which is closed after it: a kept connection may be dead after a network failure.
    const end = (outcome: PatchOutcome): void => {
      clearTimeout(deadline);
      clearTimeout(connecting);
      signal.removeEventListener('abort', abort);
      resolve(outcome);
      sent.destroy();
    };
    const late = (): void => end({ kind: 'timeout', reason: `no response within ${deadlineMs} ms` });
    const unconnected = (): void => end({ kind: 'unreachable', reason: `no connection within ${connectMs} ms` });
    const abort = (): void => end({ kind: 'unreachable', reason: 'aborted' });
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/status`;
    const headers = {
      Authorization: `Bearer ${token}`,
      Accept: 'application/json',
      'Content-Type': 'application/merge-patch+json',
      'Content-Length': Buffer.byteLength(body),
      'User-Agent': 'snowgauge',
    };
    const options = { method: 'PATCH', ca, allowPartialTrustChain: true, headers, lookup, agent: false };
    const sent = request(`${server}${path}`, options, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size > maxBytes) end({ kind: 'malformed', reason: `the response is larger than ${maxBytes} bytes` });
        else if (chunks.length > maxPieces) end({ kind: 'malformed', reason: 'a response in chunks of a few bytes' });
      });
      response.on('end', () => end(outcomeOf(response.statusCode ?? 0, Buffer.concat(chunks).toString(), token)));
      response.on('error', (error) => end({ kind: 'unreachable', reason: codeOf(error) }));
    });
    const deadline = setTimeout(late, deadlineMs);
    const connecting = setTimeout(unconnected, Math.min(connectMs, deadlineMs + 1));
    sent.on('socket', (socket) => socket.once('secureConnect', () => clearTimeout(connecting)));
    sent.on('error', (error) => end({ kind: untrustedApi.test(codeOf(error)) ? 'tls' : 'unreachable', reason: codeOf(error) }));
    boundInformational(sent, (reason) => {
      stopParsing(sent.socket);
      end({ kind: 'malformed', reason });
    });
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    else sent.end(body);
  });

const kinds: ReadonlyMap<number, 'unauthorized' | 'forbidden' | 'not-found' | 'unreachable'> = new Map([
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not-found'],
  // Responses of a proxy or a load balancer whose server is down.
  [502, 'unreachable'],
  [503, 'unreachable'],
  [504, 'unreachable'],
]);

const outcomeOf = (status: number, body: string, token: string): PatchOutcome => {
  const answer = parsedJson(body);
  if (status === 200) {
    const labels = member(member(answer, 'metadata'), 'labels');
    const metadata = member(answer, 'metadata');
    if (typeof metadata !== 'object' || metadata === null) return { kind: 'malformed', reason: 'the response is not a pod' };
    const own = Object.entries(typeof labels === 'object' && labels !== null ? labels : {});
    return {
      kind: 'ok',
      labels: new Map(own.filter(([key]) => key.startsWith(prefix)).map(([key, value]) => [key, String(value)])),
    };
  }
  const message = member(answer, 'message');
  const said = typeof message === 'string' ? `: ${shownOf(message, token)}` : '';
  return { kind: kinds.get(status) ?? 'http-status', reason: `status ${status}${said}` };
};
