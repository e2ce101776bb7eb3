// Drills on the container indexes, and on the exporter.

import type { Drill } from './drill.ts';
import { forgets, looksBack, pace } from './pace.ts';
import { disagrees } from './signs.ts';

export const indexDrills: readonly Drill[] = [
  {
    name: 'index-stalled',
    fault: 'The index of the P-Chain stops growing, but the chain does not.',
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'index-stalls', index: 'P/block' }] }],
    sign: disagrees('P/block'),
    alert: 'SnowgaugeIndexStalled',
    labels: { index: 'P/block' },
    set: { indexWindow: '6s' },
    waits: looksBack(6),
    alongside: ['SnowgaugeIndexDisagrees', 'SnowgaugeIndexIncomplete'],
    notified: ['pager: SnowgaugeIndexDisagrees'],
    look: 'Index, "Stalled": 1, and "Containers per second" falls to 0.',
  },
  {
    name: 'index-disagrees',
    fault: 'The index of the C-Chain does not contain the last block of its chain.',
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'index-stalls', index: 'C/block' }] }],
    sign: disagrees('C/block'),
    alert: 'SnowgaugeIndexDisagrees',
    labels: { index: 'C/block' },
    look: 'Index, "Indexes, worst first": agrees, no.',
  },
  {
    name: 'index-gap',
    fault: 'The index of the P-Chain loses the next container.',
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'index-loses-container', index: 'P/block' }] }],
    sign: {
      family: 'snowgauge_index_integrity_errors_total',
      labels: { index: 'P/block', kind: 'gap' },
      is: (value) => value > 0,
      patience: { intervals: 5, reason: 'two more blocks must be accepted, and the lost one requested alone' },
    },
    alert: 'SnowgaugeIndexIntegrityErrors',
    labels: { index: 'P/block' },
    alongside: ['SnowgaugeIndexDisagrees', 'SnowgaugeIndexIncomplete'],
    look: 'Index, "Integrity errors": kind gap; the log of the exporter has the container number.',
  },
  {
    name: 'index-incomplete',
    fault: 'The node runs without its indexes, and then with them: containers accepted meanwhile are never indexed.',
    stored: true,
    injections: [{ after: 0, kind: 'index-was-off' }],
    sign: {
      family: 'snowgauge_index_height_drift',
      labels: { index: 'C/block' },
      is: (value) => value > 0,
      patience: { intervals: 8, reason: 'the node must bootstrap and accept a block, and the index must lack an older one' },
    },
    alert: 'SnowgaugeIndexIncomplete',
    labels: { index: 'C/block' },
    set: { indexWindow: '5s' },
    waits: looksBack(5),
    // The node is down twice.
    alongside: ['SnowgaugeTargetDown', 'SnowgaugeIndexOff', 'SnowgaugeReadinessLost'],
    notified: ['chat: SnowgaugeIndexIncomplete ×2'],
    look: 'Index, "Missing blocks": a step that never falls.',
  },
  {
    name: 'index-off',
    fault: 'The node responds to every request to an index with 404, like a node without indexes.',
    injections: [{ after: 0, kind: 'node', faults: [{ fault: 'api-status', status: 404, path: '/ext/index' }] }],
    sign: { family: 'snowgauge_index_state', labels: { index: 'P/block', state: 'off' }, is: (value) => value === 1 },
    alert: 'SnowgaugeIndexOff',
    labels: { index: 'P/block' },
    notified: ['chat: SnowgaugeIndexOff ×2'],
    look: 'Index, "State": off.',
  },
  {
    name: 'configuration-error',
    fault: 'The configuration of the exporter changes and is invalid.',
    injections: [{ after: 0, kind: 'configuration-has-an-error' }],
    sign: { family: 'snowgauge_config_last_reload_successful', is: (value) => value === 0 },
    alert: 'SnowgaugeConfigReloadFailed',
    look: 'Exporter, "Configuration valid": no. The exporter keeps the previous configuration; the status page has the error.',
  },
  {
    name: 'exporter-down',
    fault: 'The exporter is down; the node is healthy.',
    injections: [{ after: 0, kind: 'exporter-stops' }],
    alert: 'SnowgaugeExporterDown',
    waits: { seconds: pace.gap, reason: 'the last samples of an exporter remain valid for `scrapeGap`' },
    look: 'Exporter, "Not scraped": 1.',
  },
  {
    name: 'exporter-forgotten',
    fault: 'The service discovery of Prometheus no longer finds any exporter.',
    injections: [{ after: 0, kind: 'nobody-is-scraped' }],
    alert: 'SnowgaugeAbsent',
    waits: forgets,
    look: 'Fleet, "Nodes": 0.',
  },
];
