// Resolves the name of a target once. The addresses are checked and then used without another lookup, so a name that resolves to another
// address a moment later (DNS rebinding) has no effect.

import { isIP, type LookupFunction } from 'node:net';
import { giveAddresses } from '../client/lookup.ts';

/** Returns the addresses of a name. Rejects with the error of the resolver. */
export type Resolve = (host: string) => Promise<readonly string[]>;

type Resolved =
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

/** A lookup function that returns these addresses, or the error, for any name. */
export const pinned =
  (found: Resolved): LookupFunction =>
  (_, options, callback) =>
    giveAddresses(
      found.kind === 'failed' ? found.error : found.addresses.map((address) => ({ address, family: isIP(address) })),
      options,
      callback,
    );
