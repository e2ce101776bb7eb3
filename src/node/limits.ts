// What the embedded node takes at most, where a real node sets no bound or a wider one: a demo must not end by one client.

/** No question of the interface comes near this one. */
export const maxBodyBytes = 2 ** 20;

/** Go's own bound is 10,000; what reads the values recurses, and no question of the interface is nested deeper than four. */
export const maxDepth = 64;

/** As Go's default: Node's own would refuse a question with some three hundred tags. */
export const maxHeadBytes = 2 ** 20;

/** The one that was used longest ago makes room. */
export const maxConnections = 256;

/** For the head and the body of a request to arrive; a real node's default. */
export const requestSeconds = 30;

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

export const limitsText = `
Limits: request bodies of ${maxBodyBytes / 2 ** 20} MiB, nested ${maxDepth} deep; headers of ${maxHeadBytes / 2 ** 20} MiB; ${requestSeconds} s for a request to arrive;
${maxConnections} connections, one request of each at a time, and clients in turns; ${callLimits.seconds} s for a method to answer.
A fault in one request ends its connection and not the node.`;
