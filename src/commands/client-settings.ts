// Which clients the servers accept, from the configuration and the names of this process.

import { hostname } from 'node:os';
import type { Config } from '../config/types.ts';
import { networksOf } from '../networks.ts';
import type { AdmissionSettings } from '../server/admission.ts';
import type { CommandContext } from './context.ts';

interface Called {
  /** host:port of this shard, or a template for all shards. */
  readonly externalAddress?: string | undefined;
  readonly ownHosts?: readonly string[] | undefined;
}

/** Additional `server.allowedHosts`, set by whoever creates the Service and the Ingress. */
export const ownHostsOf = ({ SNOWGAUGE_OWN_HOSTS: text = '' }: CommandContext['env']): readonly string[] =>
  text.split(',').filter((name) => name !== '');

export const clientSettings = (
  { allowedHosts, trustedProxies }: Config['server'] = { allowedHosts: [], trustedProxies: [] },
  { externalAddress = '', ownHosts = [] }: Called = {},
): AdmissionSettings => {
  const external = externalAddress.replace(/:\d+$/, '');
  return {
    allowedHosts: [...allowedHosts, ...ownHosts, hostname(), ...(external === '' ? [] : [external])],
    isTrustedProxy: networksOf(trustedProxies),
  };
};
