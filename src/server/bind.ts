// Binds a server to its port, or says why that failed and which setting to change.

import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as SecureServer } from 'node:https';
import { codeOf } from '../text.ts';

interface Address {
  readonly host: string;
  readonly port: number;
  /** Which paths are served there. */
  readonly paths?: keyof typeof others;
}

/**
 * `url`: how to reach the server from this host; with the loopback for a wildcard address. `errors`: problems that an operator can fix,
 * such as a port that is in use or needs privileges, or an address of another host.
 */
export const bind = async (server: Server, { host, port, paths = 'all' }: Address) => {
  try {
    server.listen({ host, port });
    // Rejects on an error event.
    await once(server, 'listening');
  } catch (error) {
    const { setting, other } = others[paths];
    return { kind: 'invalid' as const, errors: [{ path: setting, message: faultOf(error, host, port, other) }] };
  }
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server listens on no port');
  return {
    kind: 'ok' as const,
    url: `${server instanceof SecureServer ? 'https' : 'http'}://${reachable(host)}:${address.port}`,
    port: address.port,
  };
};

const reachable = (host: string): string => {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
};

const others = {
  all: {
    setting: 'listen',
    other: 'choose another with --listen, SNOWGAUGE_LISTEN_PORT or `listen.port` in the configuration',
  },
  probes: { setting: 'probes', other: 'choose another with SNOWGAUGE_PROBES_PORT or `probes.port` in the configuration' },
} as const;

const faultOf = (error: unknown, host: string, port: number, other: string): string => {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is already in use: stop that process, or ${other}`;
    case 'EACCES':
      return `port ${port} of ${host} needs privileges that this user does not have: ${other}`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this host: set \`listen.host\` or SNOWGAUGE_LISTEN_HOST to one that is, as 0.0.0.0`;
    default:
      return `cannot listen on port ${port} of ${host}: ${error instanceof Error ? error.message : String(error)}`;
  }
};
