// The scenario of the demo: two subnets, and every minute another fault, repeated forever.

/** Subnet IDs, so that the exporter's configuration can use their tags. */
export const demoSubnets = {
  alpha: '2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r',
  beta: '29uVeLPJB1eQJkzRemU8g8wZDw5uJRqpab5U2mX9euieVwiEbL',
} as const;

/** A scenario in the format of docs/scenario.md. Each fault lasts three quarters of its minute. */
export const demoScenario = `# The demo: a minute without faults, then a fault a minute, for ever.
seed: 7
# Four months into a year of staking, with two days of downtime behind it.
validator: { stake: 1200000, delegated: 450000, delegators: 31, since: 2900h, period: 8760h, uptime: 0.9835 }
chains:
  P: { history: 60, blockInterval: 7s }
  X: { history: 40, blockInterval: 11s }
  C: { history: 120, blockInterval: 2s }
subnets:
  - name: alpha
    id: ${demoSubnets.alpha}
    l1: { validators: 4, weight: 100, balance: 2.4 }
    chains: [{ alias: alpha-dex, history: 30, blockInterval: 3s }]
  - name: beta
    id: ${demoSubnets.beta}
    chains: [{ alias: beta-game, history: 10, blockInterval: 5s }]
faults:
  - { at: 1m, for: 45s, every: 7m, fault: stake-disconnects, chain: alpha-dex, percentConnected: 0.62 }
  - { at: 2m, for: 45s, every: 7m, fault: disk-fills, availablePercentage: 8, availableBytes: 41000000000 }
  - { at: 3m, for: 45s, every: 7m, fault: chain-dead, chain: beta-game }
  - { at: 4m, for: 45s, every: 7m, fault: time-freezes }
  - { at: 5m, for: 45s, every: 7m, fault: api-silent }
  - { at: 6m, for: 45s, every: 7m, fault: check-flaps, check: network, period: 15s, error: 'network layer is unhealthy reason: not connected to a minimum of 1 peer(s) only 0' }
  - { at: 7m, for: 45s, every: 7m, fault: node-restarts }
`;

/** What to look for, by kind of fault. The demo prints it before the fault. */
export const demoStory: Readonly<Record<string, string>> = {
  'stake-disconnects': 'alpha loses stake: tag set alpha unhealthy, beta stays healthy',
  'disk-fills': 'the disk fills: every tag set unhealthy at diskspace',
  'chain-dead': "beta's VM dies: tag set beta unhealthy, alpha stays healthy",
  'time-freezes': 'the health worker freezes: reported healthy, but no check runs',
  'api-silent': 'the API goes silent: polls time out, then the samples vanish and up is 0',
  'check-flaps': 'the network check flaps every 15 s',
  'node-restarts': 'the node restarts: refused, then bootstrapping, then healthy',
};
