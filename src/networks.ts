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
