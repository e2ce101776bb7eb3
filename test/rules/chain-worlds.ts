// Worlds about the networks of nodes: whose heights are compared, and alerts while a network becomes known or unknown.

import type { Situation } from './case.ts';
import { beginning, dip, hold, info, inTurn, l1, scraped, scrapeLabels, until, well } from './series.ts';
import { all, bootstrapping, inNetwork, pods, unready } from './world-parts.ts';

const slow = (chain: string) => ({ chain, from: 20 });

/** The index stalls with its chain, which must not add an alert. */
const still = (chain: string, network: string) => {
  const node = inNetwork(network, 60, slow(chain));
  const index = `snowgauge_index_last_accepted_height{index="${chain}/block"}`;
  return index in node ? { ...node, [index]: inTurn('999+20x19', hold(1399, 40)) } : node;
};

const renewed = { ...scrapeLabels(), instance: '10.0.7.7:9652' };

export const chainWorlds: readonly Situation[] = [
  {
    title: 'the C-Chain of one of three nodes of a network stalls',
    series: pods(still('C', 'mainnet'), inNetwork('mainnet', 60), inNetwork('mainnet', 60)),
    steps: 60,
    fires: { 'ChainBehind chain': 1 },
  },
  {
    title: 'the C-Chain of a node stalls, and the more advanced node is in another cluster',
    series: all(
      scraped(still('C', 'mainnet'), { ...scrapeLabels(), cluster: 'a' }),
      scraped(inNetwork('mainnet', 60), { ...scrapeLabels(), cluster: 'b' }),
    ),
    steps: 60,
    fires: { 'ChainBehind chain': 1 },
  },
  {
    title: 'the chains of one of two networks are lower, and one of them stalls on its only node',
    series: pods(still('C', 'fuji'), inNetwork('mainnet', 60)),
    steps: 60,
  },
  {
    title: 'the networks of two nodes are unknown: the C-Chain of one stalls, and of the other a chain with a known id',
    series: pods(still('C', ''), still(l1, ''), inNetwork('mainnet', 60), inNetwork('', 60)),
    steps: 60,
    fires: { 'ChainBehind chain': 1 },
  },
  {
    title: 'the id of the P-Chain, which is equal on every network, is not evidence of the same network',
    series: all(
      ...[1000, 5].map((by, at) =>
        scraped(
          { ...well(60), 'snowgauge_chain_last_accepted_height{chain="11111111111111111111111111111111LpoYY"}': `0+${by}x59` },
          at,
        ),
      ),
    ),
    steps: 60,
  },
  {
    title: 'two nodes with a block per second are scraped every two minutes, half a minute apart',
    series: pods(
      { ...inNetwork('mainnet', 60), 'snowgauge_chain_last_accepted_height{chain="C"}': '1000+120x59' },
      { ...inNetwork('mainnet', 60), 'snowgauge_chain_last_accepted_height{chain="C"}': '850+120x59' },
    ),
    steps: 60,
    seconds: 120,
    evaluation: 60,
  },
  {
    title: 'a node bootstraps again, and its chains have the heights of an hour ago',
    series: pods(
      { ...bootstrapping(60), ...still('C', 'mainnet'), snowgauge_bootstrapping_subnets: hold(1, 60) },
      inNetwork('mainnet', 60),
    ),
    steps: 60,
  },
  {
    title: 'the exporter restarts while an alert fires, and does not know the network for 20 minutes',
    series: all(
      scraped(until({ ...well(60), ...unready(60, 10), ...info('http://127.0.0.1:9650', '', hold(1, 60)) }, 60)),
      scraped(
        beginning(
          {
            ...well(60),
            ...unready(60, 0),
            ...info('http://127.0.0.1:9650', '', dip(1, '_', 60, 20, 40), ''),
            ...info('http://127.0.0.1:9650', '', inTurn(hold('_', 20), hold(1, 40))),
          },
          61,
        ),
        renewed,
      ),
    ),
    steps: 121,
    fires: { 'ReadinessLost node': 1 },
  },
  {
    title: 'a node moves to another network and still fails: one alert ends and another begins',
    series: scraped({
      ...well(120),
      ...unready(120, 10),
      ...info('http://127.0.0.1:9650', '', inTurn(hold(1, 60), 'stale'), 'fuji'),
      ...info('http://127.0.0.1:9650', '', inTurn(hold('_', 60), hold(1, 60)), 'mainnet'),
    }),
    steps: 120,
    fires: { 'ReadinessLost node': 2 },
    ends: { 'ReadinessLost node': 1 },
  },
];
