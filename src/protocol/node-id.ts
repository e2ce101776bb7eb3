// The format of a NodeID, without a decoder: configuration and discovery use this too, and do not load more.

/** For JSON Schema. */
export const nodeIdPattern = '^NodeID-[1-9A-HJ-NP-Za-km-z]{20,60}$';

const pattern = new RegExp(nodeIdPattern);

/** `NodeID-` and cb58 of 20 bytes. Does not verify the checksum, which the node does. */
export const isNodeId = (text: string): boolean => pattern.test(text);
