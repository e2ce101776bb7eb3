// The contract of a node's health interface, one row per sentence of its document. Run against every kind of node.

import { expect, test } from 'vitest';
import { parseGoDurationSeconds } from '../../src/protocol/duration.ts';
import { primaryNetworkId } from '../../src/protocol/id.ts';
import { parseInstant } from '../../src/protocol/time.ts';
import { askRaw, headerOf, type RawAnswer } from '../support/raw-http.ts';

/** A healthy node with one subnet. */
export interface HealthyNode {
  readonly port: number;
  readonly subnetId: string;
  /** The name of the check of the subnet's chain. */
  readonly chain: string;
}

interface Report {
  readonly checks: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly healthy: boolean;
}

const jsonType = { 'Content-Type': 'application/json' };

export const get = (port: number, path: string): Promise<RawAnswer> => askRaw(port, { method: 'GET', path });

export const post = (port: number, path: string, body: unknown): Promise<RawAnswer> =>
  askRaw(port, { method: 'POST', path, headers: jsonType, body: typeof body === 'string' ? body : JSON.stringify(body) });

export const reportOf = (answer: RawAnswer): Report => JSON.parse(answer.body);

export const call = async (
  port: number,
  method: string,
  params?: unknown,
): Promise<{ result: Report; id: unknown; jsonrpc: unknown }> =>
  JSON.parse((await post(port, '/ext/health', { jsonrpc: '2.0', id: 7, method, params })).body);

const globalChecks = ['bootstrapped', 'database', 'diskspace', 'network', 'router'];
const namesOf = ({ checks }: Report): readonly string[] => Object.keys(checks);

export const healthContract = (open: () => Promise<HealthyNode>): void => {
  const rows: Readonly<Record<string, (node: HealthyNode) => Promise<void>>> = {
    'GET /ext/health of a healthy node is 200 with all checks': async ({ port, chain }) => {
      const answer = await get(port, '/ext/health');
      expect(answer.status).toBe(200);
      expect(headerOf(answer, 'Content-Type')).toBe('application/json');
      expect(reportOf(answer).healthy).toBe(true);
      expect(namesOf(reportOf(answer))).toEqual(expect.arrayContaining([...globalChecks, 'C', 'P', 'X', chain]));
    },
    'GET /ext/health/health has the same response as /ext/health': async ({ port }) => {
      const [one, other] = [await get(port, '/ext/health'), await get(port, '/ext/health/health')];
      expect([other.status, other.body]).toEqual([one.status, one.body]);
    },
    'GET /ext/health/readiness is healthy once the node has finished initializing': async ({ port }) => {
      const answer = await get(port, '/ext/health/readiness');
      expect([answer.status, namesOf(reportOf(answer))]).toEqual([200, ['bootstrapped']]);
    },
    'GET /ext/health/liveness is healthy once the endpoint is available': async ({ port }) => {
      const answer = await get(port, '/ext/health/liveness');
      expect([answer.status, answer.body]).toEqual([200, '{"checks":{},"healthy":true}\n']);
    },
    'one tag gives the checks of its subnet and the global ones': async ({ port, subnetId, chain }) => {
      const names = namesOf(reportOf(await get(port, `/ext/health?tag=${subnetId}`)));
      expect(names).toEqual(expect.arrayContaining([...globalChecks, chain]));
      expect(names).not.toEqual(expect.arrayContaining(['P']));
    },
    'several tags give the checks of each': async ({ port, subnetId, chain }) => {
      const names = namesOf(reportOf(await get(port, `/ext/health?tag=${subnetId}&tag=${primaryNetworkId}`)));
      expect(names).toEqual(expect.arrayContaining([...globalChecks, chain, 'C', 'P', 'X']));
    },
    'an unknown tag gives the global checks': async ({ port, chain }) => {
      const names = namesOf(reportOf(await get(port, '/ext/health?tag=nothing')));
      expect(names).toEqual(expect.arrayContaining(globalChecks));
      expect(names).not.toContain(chain);
      expect(names).not.toContain('P');
    },
    'health.health gives the report of GET in an envelope with the request’s id': async ({ port }) => {
      const { result, id, jsonrpc } = await call(port, 'health.health');
      expect({ jsonrpc, id }).toEqual({ jsonrpc: '2.0', id: 7 });
      expect(result).toEqual(reportOf(await get(port, '/ext/health')));
    },
    'health.health takes tags': async ({ port, subnetId }) => {
      const { result } = await call(port, 'health.health', { tags: [subnetId] });
      expect(result).toEqual(reportOf(await get(port, `/ext/health?tag=${subnetId}`)));
    },
    'health.readiness gives only bootstrapped': async ({ port, subnetId }) => {
      expect(namesOf((await call(port, 'health.readiness')).result)).toEqual(['bootstrapped']);
      expect(namesOf((await call(port, 'health.readiness', { tags: [subnetId] })).result)).toEqual(['bootstrapped']);
    },
    'health.liveness is healthy and has no checks': async ({ port }) => {
      expect((await call(port, 'health.liveness')).result).toEqual({ checks: {}, healthy: true });
    },
    'each check has a timestamp with an offset and a duration in whole nanoseconds': async ({ port }) => {
      for (const [name, { timestamp, duration }] of Object.entries(reportOf(await get(port, '/ext/health')).checks)) {
        expect(parseInstant(String(timestamp)), name).toBeGreaterThan(0);
        expect(Number.isInteger(duration), name).toBe(true);
      }
    },
    'a passing check has no error, no contiguousFailures and no timeOfFirstFailure': async ({ port }) => {
      for (const check of Object.values(reportOf(await get(port, '/ext/health')).checks))
        expect(Object.keys(check)).not.toEqual(expect.arrayContaining(['error', 'contiguousFailures', 'timeOfFirstFailure']));
    },
    'the message of a chain has its engine and its networking': async ({ port, chain }) => {
      const { checks } = reportOf(await get(port, '/ext/health'));
      for (const name of ['C', 'P', 'X', chain])
        expect(checks[name]?.message, name).toMatchObject({
          engine: {
            consensus: {
              lastAcceptedHeight: expect.any(Number),
              lastAcceptedID: expect.any(String),
              longestProcessingBlock: expect.any(String),
              processingBlocks: expect.any(Number),
            },
          },
          networking: { percentConnected: expect.any(Number) },
        });
    },
    'the messages of the global checks have the shapes of the table': async ({ port }) => {
      const { checks } = reportOf(await get(port, '/ext/health'));
      expect(checks.bootstrapped?.message).toEqual([]);
      expect(checks.database).not.toHaveProperty('message');
      expect(checks.diskspace?.message).toMatchObject({ availableDiskBytes: expect.any(Number) });
      expect(checks.network?.message).toMatchObject({
        connectedPeers: expect.any(Number),
        sendFailRate: expect.any(Number),
      });
      expect(checks.router?.message).toMatchObject({ outstandingRequests: expect.any(Number) });
      const { longestRunningRequest } = Object(checks.router?.message);
      expect(parseGoDurationSeconds(longestRunningRequest)).toBeGreaterThanOrEqual(0);
    },
    'the response has the NodeID in a header': async ({ port }) => {
      expect(headerOf(await get(port, '/ext/health/liveness'), 'Node-Id')).toMatch(/^NodeID-[1-9A-HJ-NP-Za-km-z]+$/);
    },
  };
  test.each(Object.entries(rows))('%s', async (_, holds) => holds(await open()));
};
