// Sets of addresses. One BlockList per IP version, because a single one treats an IPv4 address like the IPv6 address that maps it.

import { BlockList, isIP } from 'node:net';

/** Returns a function that checks whether an address is in one of the networks. A network is an address with or without a prefix length. */
export const networksOf = (cidrs: readonly string[]): ((address: string) => boolean) => {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const cidr of cidrs) {
    const [address = '', bits] = cidr.split('/');
    const family = familyOf(address);
    lists[family].addSubnet(address, bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family);
  }
  return (address) => lists[familyOf(address)].check(address, familyOf(address));
};

/** Whether all addresses of a network are in one of these networks. */
export const isWithin = (cidr: string, networks: readonly string[]): boolean => {
  const [address = '', bits = lengthOf(address)] = cidr.split('/');
  return networks.some((one) => {
    const [wide = '', least = lengthOf(wide)] = one.split('/');
    return familyOf(wide) === familyOf(address) && Number(bits) >= Number(least) && networksOf([one])(address);
  });
};

const lengthOf = (address: string): string => (familyOf(address) === 'ipv4' ? '32' : '128');

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6');
