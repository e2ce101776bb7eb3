// Families of the watchdog: overload of the exporter, and the requests it refuses.

import { collect, type Family, flag, type Row } from './family.ts';

export interface OverloadTally {
  readonly overloaded: Readonly<Record<string, boolean>>;
  readonly shed: ReadonlyMap<string, number>;
  readonly heapLimit: number;
  readonly heapLive: number | undefined;
}

const overloadedRow: Row<readonly [reason: string, overloaded: boolean]> = {
  name: 'snowgauge_overloaded',
  type: 'gauge',
  labels: ['reason'],
  unit: 'boolean',
  help: '1 if the exporter is overloaded and rejects requests, by reason: event_loop, heap.',
  source: 'the event loop and V8',
  value: ([, overloaded]) => flag(overloaded),
};

const shedRow: Row<readonly [kind: string, count: number]> = {
  name: 'snowgauge_requests_shed_total',
  type: 'counter',
  labels: ['kind'],
  unit: 'count',
  help: 'Requests rejected with 503, and closed event streams, due to overload, by kind: events, page, scrape, probe.',
  source: 'the HTTP server',
  value: ([, count]) => count,
};

const heapRows: readonly Row<OverloadTally>[] = [
  {
    name: 'snowgauge_heap_live_bytes',
    type: 'gauge',
    labels: [],
    unit: 'bytes',
    help: 'Heap in use after the last full garbage collection. No sample before the first.',
    source: 'V8',
    value: ({ heapLive }) => heapLive,
  },
  {
    name: 'snowgauge_heap_limit_bytes',
    type: 'gauge',
    labels: [],
    unit: 'bytes',
    help: 'Heap limit: Node.js exits when the heap exceeds it.',
    source: 'V8',
    value: ({ heapLimit }) => heapLimit,
  },
];

export const overloadFamilies = (tally: OverloadTally | undefined): readonly Family[] => [
  ...collect([overloadedRow], Object.entries(tally?.overloaded ?? {}), ([reason]) => [reason]),
  ...collect([shedRow], tally?.shed ?? [], ([kind]) => [kind]),
  ...collect(heapRows, tally === undefined ? [] : [tally], () => []),
];

export const overloadDefinitions = [overloadedRow, shedRow, ...heapRows] as const;
