// Release of the real node that this one reports: the one that it was compared with.

export const nodeVersion = {
  version: 'avalanchego/1.14.2',
  databaseVersion: 'v1.4.5',
  rpcProtocolVersion: '45',
  /** Versions of the built-in VMs. */
  own: { avm: 'avalanchego/1.14.2', evm: 'v1.14.2', platform: 'avalanchego/1.14.2' },
  ofPlugins: 'v1.0.4',
} as const;
