// Responses of an exporter without a valid configuration (`run --stay`): it is alive but not ready, and the responses say why.

import { shortened } from '../text.ts';
import type { Request } from './inputs.ts';
import { probeReply } from './probes.ts';
import { type MetricsReply, notAllowed, plainText, type Reply, readMethods } from './reply.ts';
import type { Paths, RouteReply } from './routes.ts';

interface Standby {
  /** The errors of the configuration; a new list if they change. */
  readonly errors: () => readonly string[];
  readonly metrics: MetricsReply;
}

const maxErrors = 20;

/**
 * Probe paths of nodes, with any target name. Startup and liveness probes pass: an invalid configuration of the exporter must not restart
 * the container of the node.
 */
const nodeProbe = /^\/(?:self|targets\/[^/]+)\/(?:(startupz|livez)\/?|readyz(?:\/[^/]*\/?)?)$/;

export const standbyRoutes = ({ errors, metrics }: Standby, paths: Paths): ((request: Request) => RouteReply) => {
  const listed = (): readonly string[] => {
    const all = errors();
    const more = all.length - maxErrors;
    const shown = all.slice(0, maxErrors).map((one) => shortened(one, 500));
    return more > 0 ? [...shown, `${more} more are not shown`] : shown;
  };
  const reason = (): string => `snowgauge has no valid configuration: ${listed()[0] ?? ''}`;
  const page = async ({ accept, acceptEncoding }: Request): Promise<Reply> => ({
    status: 200,
    ...(await metrics(accept, acceptEncoding)),
  });

  const served = (path: string, query: string): ((request: Request) => RouteReply) | undefined => {
    const verbose = new URLSearchParams(query).has('verbose');
    if (path === '/livez') return () => probeReply('livez', [{ name: 'ping' }], verbose);
    if (path === '/readyz') {
      const parts = listed().map((error) => ({ name: 'configuration', message: error }));
      return () => probeReply('readyz', [{ name: 'ping' }, ...parts], verbose);
    }
    const probe = nodeProbe.exec(path);
    if (probe !== null) return () => plainText(probe[1] === undefined ? 503 : 200, `unknown: ${reason()}\n`);
    // There are no targets, so both are the same. Prometheus scrapes the second with the targets of /api/v1/sd.
    return paths === 'all' && (path === '/metrics' || path === '/exporter/metrics') ? page : undefined;
  };

  return (request) => {
    const [path = '', query = ''] = request.target.split('?', 2);
    const route = served(path, query);
    if (route !== undefined) return readMethods.includes(request.method) ? route(request) : notAllowed(readMethods);
    if (paths === 'probes') return plainText(404, 'not found: only the probe paths are served\n');
    // Whatever the method: the client learns why it cannot start a maintenance window.
    return plainText(503, `snowgauge has no valid configuration and polls nothing:\n${listed().join('\n')}\n`);
  };
};
