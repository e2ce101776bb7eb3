// /metrics, whole or narrowed by its query; /targets/NAME/metrics; and /exporter/metrics, which is what those of the targets leave out.

import type { Targets } from '../conditions/condition.ts';
import type { Selection } from '../metrics/page.ts';
import type { MetricsReply, Reply } from './reply.ts';

interface Accepted {
  readonly accept: string | undefined;
  readonly acceptEncoding: string | undefined;
}

type MetricsRoute = (request: Accepted, query: string) => Reply | Promise<Reply>;

interface Inputs {
  readonly state: () => { readonly targets: Targets };
  readonly metrics: MetricsReply;
}

const page = (metrics: MetricsReply, { accept, acceptEncoding }: Accepted, of?: Selection) => {
  const answer = metrics(accept, acceptEncoding, of);
  // Kept bytes are answered in the same turn: a scrape costs no promise.
  return answer instanceof Promise ? answer.then(good) : good(answer);
};

const good = ({ headers, body }: Pick<Reply, 'headers' | 'body'>): Reply => ({ status: 200, headers, body });

/** A scraper takes it for down, as it should what is gone. */
const noTarget = (): Reply => ({
  status: 404,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
  body: 'no target of that name is configured\n',
});

/** `?target=` and `?name[]=`, each as often as one likes; other parameters mean nothing. */
export const metricsRoute =
  ({ state, metrics }: Inputs): MetricsRoute =>
  (request, query) => {
    if (query === '') return page(metrics, request);
    const parameters = new URLSearchParams(query);
    const [targets, names] = [parameters.getAll('target'), parameters.getAll('name[]')];
    if (targets.some((name) => !state().targets.has(name))) return noTarget();
    if (targets.length === 0 && names.length === 0) return page(metrics, request);
    return page(metrics, request, {
      of: targets.length === 0 ? 'all' : targets,
      ...(names.length > 0 && { names: new Set(names) }),
    });
  };

/** Undefined where the path is none of a part. */
export const partRoute = (path: string, { state, metrics }: Inputs): MetricsRoute | undefined => {
  if (path === '/exporter/metrics') return (request) => page(metrics, request, { of: 'exporter' });
  const [, name] = /^\/targets\/([^/]+)\/metrics$/.exec(path) ?? [];
  if (name === undefined) return undefined;
  return (request) => (state().targets.has(name) ? page(metrics, request, { of: [name] }) : noTarget());
};
