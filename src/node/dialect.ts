// Where the interface's document and a real node disagree, one of two dialects is spoken.

export const dialects = ['documented', 'avalanchego'] as const;

export type Dialect = (typeof dialects)[number];
