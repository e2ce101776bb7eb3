// Addresses of which a probe asks none, or only where it is told to.

import { networksOf } from '../networks.ts';

export const isLoopback = networksOf(['127.0.0.0/8', '::1']);

const isNever = networksOf([
  // This host, link-local, multicast, reserved.
  '0.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/3',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  // Where clouds serve credentials, beside the link-local 169.254.169.254: Alibaba, Azure, Oracle, AWS, Google.
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.0/24',
  'fd00:ec2::/32',
  'fd20:ce::254',
  // An IPv4 address in the clothes of an IPv6 one: unspecified and compatible, mapped, translated, NAT64, Teredo, 6to4.
  '::/96',
  '::ffff:0:0/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '2001::/32',
  '2002::/16',
]);

/** No entry of an allow-list reaches these. */
export const isNeverAsked = (address: string): boolean => isNever(address) && !isLoopback(address);
