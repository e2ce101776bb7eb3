// Sets of addresses. A list for each version of IP: node:net's own answers for an IPv4 address as for the IPv6 address that maps it.

import { BlockList, isIP } from 'node:net';

/** Whether an address is in one of the networks. Each is an address, or one with a prefix length. */
export const networksOf = (cidrs: readonly string[]): ((address: string) => boolean) => {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const cidr of cidrs) {
    const [address = '', bits] = cidr.split('/');
    const family = familyOf(address);
    lists[family].addSubnet(address, bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family);
  }
  return (address) => lists[familyOf(address)].check(address, familyOf(address));
};

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

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
