// Records of TLS 1.3 that change keys and carry nothing, as many as are asked for (RFC 8446, 4.6.3 and 7.2). Node.js itself cannot send them.

import { createCipheriv, createHmac } from 'node:crypto';
import type { Socket } from 'node:net';

/** Of both sides: its hash is SHA-256. */
export const ciphers = 'TLS_AES_128_GCM_SHA256';

const expand = (secret: Buffer, label: string, length: number): Buffer => {
  const name = Buffer.from(`tls13 ${label}`);
  const info = Buffer.concat([Buffer.from([0, length, name.length]), name, Buffer.from([0])]);
  return createHmac('sha256', secret)
    .update(info)
    .update(Buffer.from([1]))
    .digest()
    .subarray(0, length);
};

/** KeyUpdate, update_not_requested; the last byte says that it is of the handshake. */
const message = Buffer.from([24, 0, 0, 1, 0, 22]);

const record = (secret: Buffer, sequence: number): Buffer => {
  const nonce = expand(secret, 'iv', 12);
  nonce.writeUInt8(nonce.readUInt8(11) ^ sequence, 11);
  const head = Buffer.from([23, 3, 3, 0, message.length + 16]);
  const cipher = createCipheriv('aes-128-gcm', expand(secret, 'key', 16), nonce).setAAD(head);
  return Buffer.concat([head, cipher.update(message), cipher.final(), cipher.getAuthTag()]);
};

/** The secret of a line in the log of keys, where it is that of a side's first keys of data. */
export const trafficSecretIn = (line: Buffer, side: 'CLIENT' | 'SERVER'): Buffer | undefined => {
  const [label, , secret = ''] = line.toString().trim().split(' ');
  return label === `${side}_TRAFFIC_SECRET_0` ? Buffer.from(secret, 'hex') : undefined;
};

/** `sent`: records that were sent with the first keys. */
export const changeKeys = (raw: Socket, first: Buffer, sent: number, times = 1000): void => {
  const records: Buffer[] = [];
  for (let [secret, at] = [first, 0]; at < times; at += 1) {
    records.push(record(secret, at === 0 ? sent : 0));
    secret = expand(secret, 'traffic upd', 32);
  }
  raw.write(Buffer.concat(records));
};
