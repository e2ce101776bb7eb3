// TLS 1.3 records with only key updates (RFC 8446, 4.6.3 and 7.2) or session tickets (4.6.1), which Node.js itself cannot send.

import { createCipheriv, createHmac } from 'node:crypto';

/** The cipher of both sides, with SHA-256. */
export const ciphers = 'TLS_AES_128_GCM_SHA256';

/**
 * @param {Buffer} secret
 * @param {string} label
 * @param {number} length
 */
const expand = (secret, label, length) => {
  const name = Buffer.from(`tls13 ${label}`);
  const info = Buffer.concat([Buffer.from([0, length, name.length]), name, Buffer.from([0])]);
  return createHmac('sha256', secret)
    .update(info)
    .update(Buffer.from([1]))
    .digest()
    .subarray(0, length);
};

/** KeyUpdate, update_not_requested; the last byte is the content type handshake. */
const keyUpdate = Buffer.from([24, 0, 0, 1, 0, 22]);

/** NewSessionTicket with a ticket of one byte. */
const ticket = Buffer.from([4, 0, 0, 14, 0, 0, 28, 32, 1, 2, 3, 4, 0, 0, 1, 65, 0, 0]);
const ticketsOfRecord = 900;
const tickets = Buffer.concat([...Array(ticketsOfRecord).fill(ticket), Buffer.from([22])]);

/**
 * @param {Buffer} secret
 * @param {number} sequence
 * @param {Buffer} message
 */
const record = (secret, sequence, message) => {
  const nonce = expand(secret, 'iv', 12);
  nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ sequence) >>> 0, 8);
  const head = Buffer.from([23, 3, 3, (message.length + 16) >> 8, (message.length + 16) & 255]);
  const cipher = createCipheriv('aes-128-gcm', expand(secret, 'key', 16), nonce).setAAD(head);
  return Buffer.concat([head, cipher.update(message), cipher.final(), cipher.getAuthTag()]);
};

/**
 * The first application traffic secret of a side from a line of the key log, if the line contains it.
 *
 * @param {Buffer} line
 * @param {'CLIENT' | 'SERVER'} side
 */
export const trafficSecretIn = (line, side) => {
  const [label, , secret = ''] = line.toString().trim().split(' ');
  return label === `${side}_TRAFFIC_SECRET_0` ? Buffer.from(secret, 'hex') : undefined;
};

/**
 * Returns a function that creates the next `times` records.
 *
 * @param {Buffer} first
 * @param {number} sent records that were sent with the first keys
 */
export const keyChanges = (first, sent) => {
  let [secret, sequence] = [first, sent];
  /** @param {number} times */
  return (times) => {
    const records = Array.from({ length: times }, () => {
      const next = record(secret, sequence, keyUpdate);
      [secret, sequence] = [expand(secret, 'traffic upd', 32), 0];
      return next;
    });
    return Buffer.concat(records);
  };
};

/**
 * Returns a function that creates the next `times` records.
 *
 * @param {Buffer} secret
 * @param {number} sent as above
 */
export const ticketFlood = (secret, sent) => {
  let sequence = sent;
  /** @param {number} times */
  return (times) => Buffer.concat(Array.from({ length: times }, () => record(secret, sequence++, tickets)));
};

/**
 * Sends records endlessly as they are read.
 *
 * @param {import('node:net').Socket} raw
 * @param {ReturnType<typeof keyChanges>} next
 */
export const sendForEver = (raw, next, records = next(100)) => {
  if (raw.destroyed) return;
  const more = () => sendForEver(raw, next);
  if (raw.write(records)) setImmediate(more);
  else raw.once('drain', more);
};
