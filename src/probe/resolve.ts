// From the name of a target to the addresses that are connected to: resolved once, checked, and used as they are. A name that resolves
// to another address a moment later (DNS rebinding) changes nothing.

import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';

/** Rejects as the resolver does. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** As the host does it: /etc/hosts and the search domains of a cluster included. */
export const systemResolve: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

export type Resolved =
  | { readonly kind: 'ok'; readonly addresses: readonly string[] }
  | { readonly kind: 'failed'; readonly error: Error };

/** Never rejects; ends with the signal at the latest. */
export const resolved = (host: string, resolve: Resolve, signal: AbortSignal): Promise<Resolved> =>
  new Promise((done) => {
    if (isIP(host) !== 0) return done({ kind: 'ok', addresses: [host] });
    const late = (): void => {
      const error = Object.assign(new Error(`${host} did not resolve in time`), { code: 'EAI_AGAIN' });
      done({ kind: 'failed', error });
    };
    if (signal.aborted) late();
    else signal.addEventListener('abort', late, { once: true });
    resolve(host).then(
      (addresses) => done({ kind: 'ok', addresses }),
      (error: unknown) => done({ kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) }),
    );
  });

/** Gives these, or the error, whatever name is asked for. */
export const pinned =
  (found: Resolved): LookupFunction =>
  (_, { all }, callback) => {
    setImmediate(() => {
      if (found.kind === 'failed') return callback(found.error, '', 0);
      const addresses = found.addresses.map((address) => ({ address, family: isIP(address) }));
      const [first] = addresses;
      if (all === true) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family ?? 0);
    });
  };
