// Which clients the servers answer, out of the configuration and of what this process is called.

import { hostname } from 'node:os';
import type { Config } from '../config/types.ts';
import { networksOf } from '../networks.ts';
import type { AdmissionSettings } from '../server/admission.ts';
import type { CommandContext } from './context.ts';

interface Called {
  /** host:port, of one shard or of all. */
  readonly externalAddress?: string | undefined;
  readonly ownHosts?: readonly string[] | undefined;
}

/** As `server.allowedHosts`, beside those of the configuration: for whoever makes the Service and the Ingress. */
export const ownHostsOf = ({ SNOWGAUGE_OWN_HOSTS: text = '' }: CommandContext['env']): readonly string[] =>
  text.split(',').filter((name) => name !== '');

export const clientSettings = (
  { allowedHosts, trustedProxies }: Config['server'] = { allowedHosts: [], trustedProxies: [] },
  { externalAddress = '', ownHosts = [] }: Called = {},
): AdmissionSettings => {
  // With {shard} in it, it is what the list of targets names: a scrape, which says what it is.
  const external = externalAddress.replace(/:\d+$/, '');
  return {
    allowedHosts: [...allowedHosts, ...ownHosts, hostname(), ...(external === '' ? [] : [external])],
    isTrustedProxy: networksOf(trustedProxies),
  };
};
