// The paths of the interface.

export const healthPaths = {
  health: '/ext/health',
  healthHealth: '/ext/health/health',
  readiness: '/ext/health/readiness',
  liveness: '/ext/health/liveness',
} as const;

/** The five indexes, named by the last two parts of their paths. */
export const indexNames = ['P/block', 'X/block', 'C/block', 'X/tx', 'X/vtx'] as const;

export type IndexName = (typeof indexNames)[number];

export const indexPath = (index: IndexName): string => `/ext/index/${index}`;

/** The path of each JSON-RPC service. */
export const servicePaths = { health: healthPaths.health, index: indexPath, info: '/ext/info', platform: '/ext/bc/P' } as const;

export type ServiceName = keyof typeof servicePaths;

/** An index of containers from before the Cortina activation, which no longer grows on a real node. */
export const isHistorical = (index: IndexName): boolean => index === 'X/tx' || index === 'X/vtx';
