// Dialects of the interface, for where its document and a real node disagree.

export const dialects = ['documented', 'avalanchego'] as const;

export type Dialect = (typeof dialects)[number];
