// Nodes whose responses about themselves are as large, or as wrong, as possible. Rare requests must happen during the measurement: each
// is a good node until then, and from then on another node with each report.

import { encodeCb58, encodeNodeId } from '../../src/protocol/id.ts';
import { delegated, nodeIdAt, results } from '../support/mainnet-node.ts';
import { type Served, serveHttp } from '../support/serve.ts';

export interface Heavy {
  /** Result of every method that is not in `results`; by default that of a good node. */
  readonly others?: string;
  /** JSON text of the result by method. */
  readonly results?: Readonly<Record<string, string>>;
  /** The checks of the nth report. */
  readonly checks?: (nth: number) => string;
}

/** Two alternating ids. */
const named = (nth: number): string => encodeNodeId(Buffer.alloc(20, nth % 2));

const good = (method: string, nodeID: string, nth: number): unknown => {
  switch (method) {
    case 'info.getNodeID':
      return { nodeID };
    case 'info.peers':
      return { numPeers: '0', peers: [] };
    case 'platform.getCurrentValidators':
      return { validators: [{ ...delegated(0).validators[0], nodeID }] };
    case 'platform.getBlockchains':
      return { blockchains: [] };
    case 'index.getLastAccepted': {
      // Three more in each poll, so that the index tail requests a range.
      const id = encodeCb58(Buffer.alloc(32, nth));
      return { id, bytes: '0x00', timestamp: '2026-11-20T12:00:00Z', encoding: 'hex', index: `${3 * nth}` };
    }
    default:
      return results[method] ?? {};
  }
};

/** Other requests depend on these, so `others` does not apply to them. */
const always: ReadonlySet<string> = new Set(['info.getNodeID', 'info.uptime', 'index.getLastAccepted']);

export const serveHeavy = ({ others, results: heavy = {}, checks }: Heavy, isMeasured: () => boolean): Promise<Served> => {
  let reports = 0;
  const counts = new Map<string, number>();
  // Encoded before the measurement, because the same process sends the probes.
  const bodyOf = (text: string): Buffer => Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${text}}`);
  const bodies = new Map(Object.entries(heavy).map(([method, text]) => [method, bodyOf(text)]));
  const other = others === undefined ? undefined : bodyOf(others);
  return serveHttp(async (request, response) => {
    const path = request.url ?? '';
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (isMeasured() && path.startsWith('/ext/health/readiness')) reports += 1;
    const nodeID = named(reports);
    response.setHeader('node-id', nodeID);
    response.setHeader('content-type', 'application/json');
    if (path.startsWith('/ext/health')) return response.end(`{"checks":{${checks?.(reports) ?? ''}},"healthy":true}`);
    const { method } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly method: string };
    const body = isMeasured() ? (bodies.get(method) ?? (always.has(method) ? undefined : other)) : undefined;
    if (body !== undefined) return response.end(body);
    const nth = counts.get(path) ?? 0;
    counts.set(path, nth + 1);
    return response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: good(method, nodeID, nth) }));
  });
};

/** As many rows as fit into this number of values. */
const rows = (values: number, each: number, row: (at: number) => unknown): string =>
  JSON.stringify(Array.from({ length: Math.floor(values / each) }, (_, at) => row(at)));

const most = 159_000;

const chainId = (at: number): string => encodeCb58(Buffer.from(at.toString().padStart(32, 'c')));

/** Without owners and keys, so that more rows fit. */
const plain = Object.fromEntries(
  Object.entries(delegated(0).validators[0] ?? {}).filter(([, value]) => typeof value !== 'object'),
);

/** Valid rows, as many as the limit of values or that of rows allows. */
export const mostRows = (): NonNullable<Heavy['results']> => ({
  'info.peers': `{"numPeers":"9","peers":${rows(most, 17, (at) => ({
    nodeID: nodeIdAt(at),
    version: `avalanchego/1.14.${at}`,
    observedUptime: `${at % 101}`,
    supportedACPs: [23, 24, 25, 30, 31, 41],
    objectedACPs: [],
    benched: [],
    trackedSubnets: [chainId(at)],
  }))}}`,
  'platform.getCurrentValidators': `{"validators":${rows(most, 17, (at) => ({ ...plain, nodeID: named(at) }))}}`,
  'platform.getBlockchains': `{"blockchains":${rows(most, 16, (at) => ({ id: chainId(at), subnetID: chainId(10_000 + at), name: `${at}`, vmID: chainId(20_000 + at) }))}}`,
  'index.getContainerRange': `{"containers":${rows(6 * 1024, 6, (at) => ({
    id: chainId(at),
    bytes: '0x00',
    timestamp: '2026-11-20T12:00:00Z',
    encoding: 'hex',
    index: `${at}`,
  }))}}`,
});
