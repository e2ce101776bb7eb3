// Settings that decide which clients are accepted.

import * as z from 'zod/mini';
import { distinct } from '../yaml/rules.ts';
import { cidr, hostPattern } from './fields.ts';
import { setting } from './setting.ts';

export const server = z.strictObject({
  allowedHosts: setting(
    {
      description:
        'Additional Host names to accept over plain HTTP, such as that of an Ingress: a name, `*.example.com` for its subdomains, or `*`. A request with any other Host gets 403. See docs/clients.md.',
    },
    z.prefault(
      z.array(hostPattern('status.example.com', ' for any; an IP address needs no entry')).check(z.maxLength(100), distinct()),
      [],
    ),
  ),
  trustedProxies: setting(
    {
      description:
        'Networks of proxies whose X-Forwarded-For is trusted. Limits per client address then use the address in that header.',
    },
    z.prefault(z.array(cidr).check(z.maxLength(100), distinct()), []),
  ),
});
