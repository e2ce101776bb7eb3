// What the embedded node takes at most, where a real node sets no bound or a wider one: a demo must not end by its clients, and all that
// they make it hold has to fit into the 256 MiB of its pod, beside some 60 of its own.

export interface BodyLimits {
  readonly bytes: number;
  /** Up to here a body waits for no others. */
  readonly smallBytes: number;
  /** Larger ones that are held at a time, from there until they are answered. */
  readonly largeAtOnce: number;
  /** For a larger one to arrive, once it is read on. */
  readonly seconds: number;
}

/** No question of the interface comes near the first, and few near the second. */
export const bodyLimits: BodyLimits = { bytes: 2 ** 20, smallBytes: 2 ** 14, largeAtOnce: 8, seconds: 5 };

/** Go's own bound is 10,000; what reads the values recurses, and no question of the interface is nested deeper than four. */
export const maxJsonDepth = 64;

/** Of one question. Thousands of parameters as small as two bytes cost a hundred times their size. */
export const maxValues = 10_000;

/** Node's own would refuse a question with some three hundred tags; Go's, which is 1 MiB, would take the pod's memory by 256 of them. */
export const maxHeadBytes = 2 ** 16;

/** Go has no bound. Thousands in single letters cost ten times their size. */
export const maxHeaders = 200;

/** The one that was used longest ago makes room. */
export const maxConnections = 256;

/** For the head and the body of a request to arrive; a real node's default. */
export const requestSeconds = 30;

export interface UnsentLimits {
  /** Up to here an answer waits for no others: by all connections, 16 MiB. */
  readonly smallBytes: number;
  /** Of larger ones that are held at a time, until the kernel has their last byte; half of it for one address. */
  readonly bytes: number;
  /** Its client reads so much of it in so many seconds, or is cut off. */
  readonly pieceBytes: number;
  /** For so long one waits for others, too. */
  readonly seconds: number;
}

/** A real node holds all, and cuts a connection off when its answer is not read whole after 30 s. */
export const unsentLimits: UnsentLimits = { smallBytes: 2 ** 16, bytes: 2 ** 24, pieceBytes: 2 ** 20, seconds: 30 };

export interface CallLimits {
  /** For so long others wait while a method reads its store. */
  readonly turnSeconds: number;
  /** For so long its caller waits. */
  readonly seconds: number;
  /** Methods of a service that are not waited for any more and have not ended: further ones are not begun. */
  readonly overdueAtOnce: number;
}

/** A real node's own default for writing an answer is 30 s, after which it only cuts the connection. */
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
