// What a NodeID looks like, without what decodes one: configuration and discovery ask it too, and load no more than this.

const pattern = /^NodeID-[1-9A-HJ-NP-Za-km-z]{20,60}$/;

/** `NodeID-` and cb58 of 20 bytes. Whether the checksum is right is the node's business. */
export const isNodeId = (text: string): boolean => pattern.test(text);
