// Addresses that are never probed, or only if the configuration allows it.

import { isWithin, networksOf } from '../networks.ts';

export const isLoopback = networksOf(['127.0.0.0/8', '::1']);

const mapped = '::ffff:0:0/96';

const never = [
  // This host, link-local, multicast, reserved.
  '0.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/3',
  // Link-local, and site-local (fec0::/10).
  'fe80::/9',
  'ff00::/8',
  // Metadata services that serve credentials, in addition to 169.254.169.254, which is link-local: Alibaba, Azure, Oracle, AWS, Google.
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.0/24',
  'fd00:ec2::/32',
  'fd20:ce::254',
  // IPv4 addresses embedded in IPv6: unspecified and compatible, mapped, translated, NAT64, Teredo, 6to4.
  '::/96',
  mapped,
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '2001::/32',
  '2002::/16',
];

const isNever = networksOf(never);

/** No entry of an allow-list permits these addresses. */
export const isNeverAsked = (address: string): boolean => isNever(address) && !isLoopback(address);

/** Why no address of a network is ever probed; undefined if one may be. */
export const neverReached = (cidr: string): string | undefined => {
  if (!isWithin(cidr, never) || networksOf([cidr])('::1')) return undefined;
  const [address = '', bits] = cidr.split('/');
  const plain = isWithin(cidr, [mapped]) ? `${unmapped(address)}${bits === undefined ? '' : `/${Number(bits) - 96}`}` : undefined;
  return plain === undefined || neverReached(plain) !== undefined
    ? 'allows nothing, because these addresses are never probed (see docs/probe.md): remove it'
    : `allows nothing, because IPv4-mapped addresses are never probed: write ${plain}`;
};

/** The IPv4 address in an IPv4-mapped one, which WHATWG URLs write as `[::ffff:a00:1]`. */
const unmapped = (address: string): string => {
  const [high = 0, low = 0] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split(':')
    .slice(-2)
    .map((part) => Number.parseInt(part || '0', 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
};
