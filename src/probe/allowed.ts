// The allow-list: the entries that a target matches, and which of its addresses may be connected to.

import { isIP } from 'node:net';
import { networksOf } from '../networks.ts';
import { isLoopback, isNeverAsked } from './networks.ts';

/** An entry of `probe.allow`. */
export interface Allowed {
  readonly host?: string;
  readonly cidr?: string;
  readonly ports: readonly number[];
}

export interface HostPort {
  /** A name without a final dot, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Set if the port is not written in the target: the scheme that has this default port. */
  readonly defaultOf?: string;
}

/** Returns whether an address may be connected to. */
export type Permits = (address: string) => boolean;

/** `setting`: path of the list in the configuration. */
export interface AllowList {
  readonly setting: string;
  readonly entries: readonly Allowed[];
}

/** Undefined if no entry matches the target, whatever its name resolves to. */
export const permitsOf = ({ entries }: AllowList, { host, port }: HostPort): Permits | undefined => {
  const isAddress = isIP(host) !== 0;
  const rules = entries
    .filter((entry) => entry.ports.includes(port) && (isAddress ? entry.host === undefined : matches(entry.host, host)))
    .map(({ cidr }): Permits => (cidr === undefined ? (address) => !isLoopback(address) : networksOf([cidr])));
  const permits: Permits = (address) => !isNeverAsked(address) && rules.some((rule) => rule(address));
  return rules.length === 0 || (isAddress && !permits(host)) ? undefined : permits;
};

const matches = (pattern: string | undefined, host: string): boolean => {
  if (pattern === undefined) return false;
  const [wanted, given] = [pattern.toLowerCase(), host.toLowerCase()];
  return wanted === '*' || (wanted.startsWith('*.') ? given.endsWith(wanted.slice(1)) : given === wanted);
};

/** Why a target is refused, and which setting to change. */
export const refusal = ({ setting, entries }: AllowList, place: HostPort): string => {
  const { host } = place;
  if (entries.length === 0) return `${setting} is empty, so no target may be probed: ${add(example)}`;
  if (isNeverAsked(host)) return neverText(host);
  return `no entry of ${setting} allows ${placeText(place)}: ${add(exampleFor(place))}`;
};

/** As `refusal`, for a name that has been resolved. */
export const refusalOfAddresses = ({ setting }: AllowList, place: HostPort, addresses: readonly string[]): string => {
  const { host } = place;
  const never = addresses.find(isNeverAsked);
  if (never !== undefined) return `${host} resolves to an address that is never probed: ${neverText(never)}`;
  const at = `with the address ${addresses.slice(0, 5).join(', ')}`;
  return `no entry of ${setting} allows ${placeText(place)}, ${at}: ${add(exampleFor(place, addresses))}`;
};

const placeText = ({ host, port, defaultOf }: HostPort): string =>
  `${host} at port ${port}${defaultOf === undefined ? '' : `, the default of ${defaultOf}`}`;

const neverText = (address: string): string =>
  `${address} is never probed: it is link-local, multicast, reserved, of a metadata service, or holds an IPv4 address`;

const add = (entry: string): string => `add one such as ${entry}, see docs/probe.md`;

const example = '{ cidr: 10.0.0.0/8, ports: [9650] }';

/** An entry that would allow the target. A name that resolves to the loopback needs both a host and a cidr. */
const exampleFor = ({ host, port }: HostPort, addresses: readonly string[] = []): string => {
  if (isIP(host) !== 0) return `{ cidr: ${cidrOf(host)}, ports: [${port}] }`;
  const usual = host.toLowerCase() === 'localhost' ? '127.0.0.1' : undefined;
  const loopback = addresses.filter(isLoopback);
  const local = loopback.find((address) => isIP(address) === 4) ?? loopback[0] ?? usual;
  return `{ host: ${host}${local === undefined ? '' : `, cidr: ${cidrOf(local)}`}, ports: [${port}] }`;
};

const cidrOf = (address: string): string => (isIP(address) === 4 ? `${address}/32` : `"${address}/128"`);
