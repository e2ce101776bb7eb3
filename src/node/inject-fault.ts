// Applies the scenario's faults to a response, between routing and the wire.

import { bytesOf, errorReply, type NodeReply, textReply } from './reply.ts';
import { type ActiveFault, faultsOf, hasFault } from './scenario.ts';

export type Delivery =
  | { readonly kind: 'reply'; readonly reply: NodeReply }
  /** The request is accepted and never gets a response. */
  | { readonly kind: 'silence' }
  /** The connection is reset instead of a response. */
  | { readonly kind: 'reset' }
  /** A report that is valid except for its size: padded with white space to `bytes`. */
  | { readonly kind: 'huge'; readonly reply: NodeReply; readonly bytes: number };

/** If several faults match a path, the one with the smallest response wins: silence, reset, a status, another body. */
export const deliver = (reply: NodeReply, path: string, faults: readonly ActiveFault[]): Delivery => {
  const here = faults.filter((fault) => !('path' in fault) || path.startsWith(fault.path ?? ''));
  if (hasFault(here, 'api-silent')) return { kind: 'silence' };
  if (hasFault(here, 'api-resets')) return { kind: 'reset' };
  const [huge] = faultsOf(here, 'api-huge');
  if (huge !== undefined) return { kind: 'huge', reply, bytes: huge.bytes };
  return { kind: 'reply', reply: withFault(reply, here) };
};

/** Seconds by which a response at this path is delayed. */
export const delayOf = (path: string, faults: readonly ActiveFault[]): number =>
  faultsOf(faults, 'api-slow').reduce((sum, fault) => sum + (path.startsWith(fault.path ?? '') ? fault.delay : 0), 0);

const withFault = (reply: NodeReply, here: readonly ActiveFault[]): NodeReply => {
  const nodeHeaders = reply.headers.filter(([name]) => name === 'Node-Id' || name === 'Vary');
  const instead = (other: NodeReply): NodeReply => ({ ...other, headers: [...other.headers, ...nodeHeaders] });
  if (hasFault(here, 'api-forbids')) return instead(errorReply(403, 'invalid host specified'));
  const [status] = faultsOf(here, 'api-status');
  if (status !== undefined) return instead(textReply(status.status, ''));
  if (hasFault(here, 'api-garbage')) return { ...reply, body: '<html>\u0000{"checks":' };
  if (hasFault(here, 'api-empty')) return { ...reply, body: '' };
  if (hasFault(here, 'api-truncates')) {
    const bytes = bytesOf(reply);
    return { ...reply, body: bytes.subarray(0, bytes.length / 2) };
  }
  return reply;
};
