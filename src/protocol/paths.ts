// Where the interface is served.

export const healthPaths = {
  health: '/ext/health',
  healthHealth: '/ext/health/health',
  readiness: '/ext/health/readiness',
  liveness: '/ext/health/liveness',
} as const;

/** The five indexes, by the last two parts of their paths. */
export const indexNames = ['P/block', 'X/block', 'C/block', 'X/tx', 'X/vtx'] as const;

export type IndexName = (typeof indexNames)[number];

export const indexPath = (index: IndexName): string => `/ext/index/${index}`;

/** Where the methods of each JSON-RPC service are served. */
export const servicePaths = { health: healthPaths.health, index: indexPath, info: '/ext/info', platform: '/ext/bc/P' } as const;

export type ServiceName = keyof typeof servicePaths;

/** Holds what was accepted before the Cortina activation, and grows no longer on a real node. */
export const isHistorical = (index: IndexName): boolean => index === 'X/tx' || index === 'X/vtx';
