// Limits of the embedded node, where a real node has none or higher ones: clients must not be able to stop a demo, and all memory that
// they make it hold has to fit into the 256 MiB of its pod, besides about 60 of its own.

export interface BodyLimits {
  readonly bytes: number;
  /** Maximum size of a small body, which does not wait for others. */
  readonly smallBytes: number;
  /** Number of larger bodies held at a time, from that size on until the response. */
  readonly largeAtOnce: number;
  /** Timeout for a larger body, from when it is read on. */
  readonly seconds: number;
}

/** No request of the interface comes near `bytes`, and few near `smallBytes`. */
export const bodyLimits: BodyLimits = { bytes: 2 ** 20, smallBytes: 2 ** 14, largeAtOnce: 8, seconds: 5 };

/** Go's own limit is 10,000; readers of the values recurse, and no request of the interface is nested deeper than four. */
export const maxJsonDepth = 64;

/** Per request. Thousands of parameters as small as two bytes cost a hundred times their size. */
export const maxValues = 10_000;

/** Node.js' default would refuse requests with about 300 tags; with Go's, 1 MiB, 256 requests would fill the pod's memory. */
export const maxHeadBytes = 2 ** 16;

/** Go has no limit. Thousands of one-letter headers cost ten times their size. */
export const maxHeaders = 200;

/** Beyond it, the least recently used one is closed. */
export const maxConnections = 256;

/** Timeout for the head and the body of a request to arrive; a real node's default. */
export const requestSeconds = 30;

export interface UnsentLimits {
  /** Maximum size of a response that does not wait for others: on all connections, 16 MiB. */
  readonly smallBytes: number;
  /** Total of larger responses held at a time, until the kernel has their last byte; half of it per address. */
  readonly bytes: number;
  /** Piece that the client must read within `seconds`, or it is disconnected. */
  readonly pieceBytes: number;
  /** Also the timeout for waiting for others. */
  readonly seconds: number;
}

/** A real node holds all responses, and closes a connection whose response is not read completely within 30 s. */
export const unsentLimits: UnsentLimits = { smallBytes: 2 ** 16, bytes: 2 ** 24, pieceBytes: 2 ** 20, seconds: 30 };

export interface CallLimits {
  /** How long other calls wait while a method reads its store. */
  readonly turnSeconds: number;
  /** How long the client waits. */
  readonly seconds: number;
  /** Maximum number of overdue methods of a service that have not ended: further ones are not started. */
  readonly overdueAtOnce: number;
}

/** A real node's default timeout for writing a response is 30 s, after which it only closes the connection. */
export const callLimits: CallLimits = { turnSeconds: 1, seconds: 30, overdueAtOnce: 16 };

const { bytes, smallBytes, largeAtOnce, seconds } = bodyLimits;
const mebibytes = (count: number): string => `${count / 2 ** 20} MiB`;

const kibibytes = (count: number): string => `${count / 2 ** 10} KiB`;

export const limitsText = `
Limits:
  protocol         HTTP/1.1; a real node also takes HTTP/2 without TLS
  request bodies   ${mebibytes(bytes)}, ${maxJsonDepth} levels, ${maxValues} values; ${largeAtOnce} bodies above ${kibibytes(smallBytes)} at a time, ${seconds} s for each to arrive
  request head     ${maxHeaders} headers, ${kibibytes(maxHeadBytes)} with the request line; ${requestSeconds} s for the whole request to arrive
  connections      ${maxConnections}, with one request at a time on each; ${callLimits.seconds} s for a method call
  large responses  above ${kibibytes(unsentLimits.smallBytes)}: ${mebibytes(unsentLimits.bytes)} unread in total, ${mebibytes(unsentLimits.bytes / 2)} for one client address; others wait ${unsentLimits.seconds} s, then get 503
  slow clients     ${unsentLimits.seconds} s to read each ${mebibytes(unsentLimits.pieceBytes)} of a response`;
