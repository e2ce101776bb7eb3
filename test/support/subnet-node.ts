// A node with only checks, each of a subnet or of none, and a P-Chain; changes apply at once, and requests are counted.

import { onTestFinished } from 'vitest';
import { primaryNetworkId } from '../../src/protocol/id.ts';
import { notBootstrappedText } from '../../src/protocol/platform.ts';
import { serveHttp } from './serve.ts';

export interface SubnetNode {
  readonly url: string;
  /** Check name -> subnet; undefined for none. */
  checks: Readonly<Record<string, string | undefined>>;
  blockchains: readonly { readonly id: string; readonly subnetID: string; readonly name?: string }[] | 'bootstrapping' | 'off';
  healthy: boolean;
  nodeId: string;
  /** The NodeID of the P-Chain API. */
  platformNodeId?: string;
  /** Called before each response. */
  onAsked: () => void;
  /** The number of P-Chain requests and of reports with tags. */
  readonly asked: { platform: number; tags: number };
}

export const primaryChains = { network: undefined, P: primaryNetworkId, X: primaryNetworkId, C: primaryNetworkId };

export const startSubnetNode = async (given: Partial<Pick<SubnetNode, 'checks' | 'blockchains'>> = {}): Promise<SubnetNode> => {
  const served = await serveHttp((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://node');
    request.resume();
    node.onAsked();
    const answer = (status: number, text: string, nodeId = node.nodeId): void => {
      response.writeHead(status, { 'content-type': 'application/json', 'node-id': nodeId });
      response.end(text);
    };
    if (pathname.startsWith('/ext/health'))
      return answer(node.healthy ? 200 : 503, reportOf(pathname, searchParams.getAll('tag')));
    if (pathname !== '/ext/bc/P') return answer(404, '404 page not found');
    node.asked.platform += 1;
    if (node.blockchains === 'off') return answer(404, '404 page not found');
    if (node.blockchains === 'bootstrapping') return answer(503, notBootstrappedText);
    const result = { blockchains: node.blockchains.map((one) => ({ vmID: 'vm', ...one })) };
    answer(200, JSON.stringify({ jsonrpc: '2.0', id: 1, result }), node.platformNodeId);
  });
  onTestFinished(() => served.close());
  const reportOf = (pathname: string, tags: readonly string[]): string => {
    if (pathname === '/ext/health' && tags.length > 0) node.asked.tags += 1;
    const isIn = (subnet: string | undefined): boolean => tags.length === 0 || subnet === undefined || tags.includes(subnet);
    const names = pathname === '/ext/health' ? Object.keys(node.checks).filter((check) => isIn(node.checks[check])) : [];
    const check = { timestamp: new Date().toISOString(), duration: 1000 };
    return JSON.stringify({ checks: Object.fromEntries(names.map((name) => [name, check])), healthy: node.healthy });
  };
  const node: SubnetNode = {
    url: served.url,
    checks: primaryChains,
    blockchains: [],
    healthy: true,
    nodeId: 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg',
    onAsked: () => undefined,
    asked: { platform: 0, tags: 0 },
    ...given,
  };
  return node;
};
