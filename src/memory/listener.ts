// Identifies the socket that listens at a target's address by its inode number, if it is in this network namespace, as in a pod. The kernel
// counts the numbers up to 2^32 for all sockets since boot, so the same number means the same socket, and the same process.

import { open, readFile } from 'node:fs/promises';
import { BlockList, isIP } from 'node:net';
import { endianness, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { unlessMissing } from '../file-system.ts';

/** Boot id and socket in one word. Undefined if unknown: another host, no such table, no listener or several. Never rejects. */
export type ListenerOf = (url: string) => Promise<string | undefined>;

/** Bytes. `table`: the maximum to read, about 400 listeners. `page`: one read; the kernel returns no more at once. `row`: the longest row. */
const bounds = { table: 65_536, page: 4096, row: 256 } as const;

/** `proc`: where procfs is mounted. */
export const listeners = (proc = '/proc'): ListenerOf => {
  const boot = readFile(join(proc, 'sys/kernel/random/boot_id'), 'utf8').then(
    (text) => /^[0-9a-f-]{36}$/.exec(text.trim())?.[0],
    () => undefined,
  );
  return async (url) => {
    const { hostname, port, protocol } = new URL(url);
    const hex = Number(port === '' ? (protocol === 'https:' ? 443 : 80) : port)
      .toString(16)
      .toUpperCase()
      .padStart(4, '0');
    try {
      const accepting = acceptingFor(hostname.replace(/^\[|\]$/g, ''));
      if (accepting === undefined) return undefined;
      const tables = await Promise.all([listening(join(proc, 'net/tcp')), ipv6(join(proc, 'net'))]);
      const found = tables.flat().filter(({ local }) => {
        const [address = '', at] = local.split(':');
        const [ip, family] = addressOf(address);
        return at === hex && accepting.check(ip, family);
      });
      const [inode, ...others] = new Set(found.map((row) => row.inode));
      const id = await boot;
      return id === undefined || inode === undefined || inode === '0' || others.length > 0 ? undefined : `${id} ${inode}`;
    } catch {
      return undefined;
    }
  };
};

/**
 * Local addresses of listeners that a connection to this host may reach. Undefined if it is, or may be, another machine. Throws if the
 * addresses of this machine cannot be listed: the sandbox of deploy/systemd allows no netlink sockets.
 */
const acceptingFor = (host: string): BlockList | undefined => {
  const named = host === 'localhost' ? ['127.0.0.1', '::1'] : isIP(host) === 0 ? [] : [host];
  if (named.length === 0 || !named.every(isHere)) return undefined;
  const list = new BlockList();
  for (const address of [...named, '0.0.0.0', '::']) list.addAddress(address, family(address));
  return list;
};

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

const isHere = (host: string): boolean =>
  host === '::1' ||
  host.startsWith('127.') ||
  Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === host) === true);

/** In the kernel's notation: words of four bytes in host byte order. */
const addressOf = (hex: string): [address: string, family: 'ipv4' | 'ipv6'] => {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => {
    const four = [...Buffer.from(word, 'hex')];
    return endianness() === 'LE' ? four.reverse() : four;
  });
  if (bytes.length === 4) return [bytes.join('.'), 'ipv4'];
  const groups = Buffer.from(bytes).toString('hex').match(/.{4}/g) ?? [];
  return [groups.join(':'), 'ipv6'];
};

interface Row {
  readonly local: string;
  readonly inode: string;
}

/**
 * A machine without IPv6 has no such table. Reading an empty table makes the kernel walk over all connections, which takes milliseconds; the
 * number of sockets is cheap.
 */
const ipv6 = async (folder: string): Promise<readonly Row[]> => {
  const counts = await readFile(join(folder, 'sockstat6'), 'latin1').catch(() => '');
  if (/^TCP6: inuse 0$/m.test(counts)) return [];
  return (await listening(join(folder, 'tcp6')).catch(unlessMissing)) ?? [];
};

/** Listeners come first in the table: it is not read beyond them, as thousands of connections may follow. Throws if it cannot be read. */
const listening = async (path: string): Promise<readonly Row[]> => {
  const table = await open(path);
  try {
    const rows: Row[] = [];
    const page = Buffer.alloc(bounds.page);
    let rest = '';
    for (let bytes = 0; bytes < bounds.table; ) {
      const { bytesRead } = await table.read(page, 0, page.length);
      bytes += bytesRead;
      const lines = (rest + page.toString('latin1', 0, bytesRead)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        // sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode
        const [sl = '', local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
        if (sl === 'sl') continue;
        if (state !== '0A') return rows;
        rows.push({ local, inode });
      }
      // If another row would have fit into the page, there is none. Reading again would make the kernel walk over all connections.
      if (bytesRead <= bounds.page - bounds.row) return rows;
    }
    throw new Error(`more than ${bounds.table} bytes of listeners`);
  } finally {
    await table.close();
  }
};
