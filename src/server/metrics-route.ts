// Routes of metrics: /metrics, filtered by its query; /targets/NAME/metrics; and /exporter/metrics, which has all families not about targets.

import { familyNamesOf } from '../metrics/names.ts';
import { formatFor, gzipFor } from '../metrics/negotiate.ts';
import type { Selection } from '../metrics/page.ts';
import { sources } from '../sources/sources.ts';
import { printable } from '../text.ts';
import type { Request, ServerInputs } from './inputs.ts';
import { createReplies, type Sought } from './replies.ts';
import { plainText, type Reply } from './reply.ts';
import { missingTarget } from './shards.ts';

type Accepted = Pick<Request, 'accept' | 'acceptEncoding'>;

type MetricsRoute = (request: Accepted, query: string) => Reply | Promise<Reply>;

const good = ({ headers, body }: Pick<Reply, 'headers' | 'body'>): Reply => ({ status: 200, headers, body });

/** With a 404, the scraper reports a removed target as down. */
const noTarget = ({ shards, state }: ServerInputs, name: string): Reply =>
  plainText(404, `${missingTarget(name, state().targets, shards?.())}\n`);

const valuesOf = (query: string, parameter: string): readonly string[] =>
  query === '' ? [] : [...new Set(new URLSearchParams(query).getAll(parameter))].toSorted();

/** `part`: the route of a part; undefined if the path is not one. */
export const createMetricsRoutes = (inputs: ServerInputs, madeOf: Sought['madeOf']) => {
  const { state, metrics, table = sources } = inputs;
  const replies = createReplies(inputs.replies);
  const families = new Set(familyNamesOf(table));
  const fullPage = ({ accept, acceptEncoding }: Accepted): Reply | Promise<Reply> => {
    const answer = metrics(accept, acceptEncoding);
    // Cached bytes are sent synchronously, without a promise.
    return answer instanceof Promise ? answer.then(good) : good(answer);
  };
  const partOf = ({ accept, acceptEncoding }: Accepted, of: 'all' | 'exporter' | readonly string[], asked: readonly string[]) => {
    const missing = typeof of === 'string' ? undefined : of.find((name) => !state().targets.has(name));
    if (missing !== undefined) return noTarget(inputs, missing);
    // Unknown names do not change the reply, so they are not part of the cache key.
    const names = asked.length === 0 ? undefined : asked.filter((name) => families.has(name));
    // An empty page would hide a misspelt name.
    if (names?.length === 0) return plainText(400, `name[]: no metric family is called ${printable(asked[0] ?? '', 64)}\n`);
    const selection: Selection = { of, ...(names && { names: new Set(names) }) };
    const key = JSON.stringify([formatFor(accept), gzipFor(acceptEncoding), of, names]);
    // No further compression: `metrics` has compressed it if accepted.
    return replies({ key, madeOf, make: async () => good(await metrics(accept, acceptEncoding, selection)) }, undefined);
  };
  return {
    /** `?target=` and `?name[]=`, both repeatable. Other parameters are ignored. */
    page: (request: Accepted, query: string): Reply | Promise<Reply> => {
      const [targets, names] = [valuesOf(query, 'target'), valuesOf(query, 'name[]')];
      if (targets.length + names.length === 0) return fullPage(request);
      return partOf(request, targets.length === 0 ? 'all' : targets, names);
    },
    /** `?name[]=` as above. */
    part: (path: string): MetricsRoute | undefined => {
      if (path === '/exporter/metrics') return (request, query) => partOf(request, 'exporter', valuesOf(query, 'name[]'));
      const [, name] = /^\/targets\/([^/]+)\/metrics$/.exec(path) ?? [];
      return name === undefined ? undefined : (request, query) => partOf(request, [name], valuesOf(query, 'name[]'));
    },
  };
};
