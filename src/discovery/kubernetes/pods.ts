// The pods of some namespaces that hold a node: a list, then a watch from there on, and a list again where the watch began too long ago.

import type { PodsConfig } from '../../config/discovery.ts';
import { pause } from '../../pause.ts';
import type { Found, RunSource, SourceContext } from '../source.ts';
import { type ApiTimes, type PodApi, podApi, type WatchEvent } from './api.ts';
import { type KnownPods, knownPods } from './known-pods.ts';
import { keyOf, nodeOf, type PodNode, versionOf } from './pod.ts';

export interface Pace extends ApiTimes {
  /** A pod that is deleted may be there again under its name, and is the same node. */
  readonly goneAfterMs: number;
  /** First wait after a failure; the next are twice as long, up to half a minute. */
  readonly retryMs: number;
}

const usual: Pace = { deadlineMs: 30_000, watchSeconds: 120, goneAfterMs: 5000, retryMs: 1000 };
const longestRetryMs = 30_000;

export const runPods: RunSource<PodsConfig> = (config, context) => watchPods(config, context, usual);

type Context = Pick<SourceContext, 'update' | 'signal' | 'cluster'>;

export const watchPods = async (
  { namespaces }: Pick<PodsConfig, 'namespaces'>,
  { update, signal, cluster }: Context,
  pace: Pace,
): Promise<void> => {
  const api = podApi(cluster, pace);
  const faults = new Map<string, string>();
  const pending = new Set(namespaces);
  let found: readonly Found[] = [];
  let told: string | undefined;
  const pods = knownPods(pace.goneAfterMs, () => say());
  const say = (): void => {
    const next = pods.found();
    const isSame = next.length === found.length && next.every((one, at) => found[at] === one);
    const reason = [...faults]
      .map(([namespace, fault]) => `namespace ${namespace}: ${fault}`)
      .slice(0, 10)
      .join('; ');
    // Of several namespaces, a part of the list is not the list.
    if (signal.aborted || (pending.size > 0 && faults.size === 0) || (isSame && reason === told)) return;
    [found, told] = [isSame ? found : next, reason];
    update(reason === '' ? { kind: 'ok', found } : { kind: 'failed', reason, found });
  };
  const each = namespaces.map((namespace) =>
    watchNamespace(namespace, api, pods, pace.retryMs, signal, (fault) => {
      if (fault === undefined) {
        faults.delete(namespace);
        pending.delete(namespace);
      } else faults.set(namespace, fault);
      say();
    }),
  );
  await Promise.all(each);
  pods.close();
};

const watchNamespace = async (
  namespace: string,
  api: PodApi,
  pods: KnownPods,
  retryMs: number,
  signal: AbortSignal,
  say: (fault?: string) => void,
): Promise<void> => {
  let version: string | undefined;
  let failures = 0;
  const opened = (): void => {
    failures = 0;
    say();
  };
  const retry = async (reason: string | undefined): Promise<void> => {
    if (signal.aborted) return;
    if (reason !== undefined) say(reason);
    await pause(Math.min(longestRetryMs, retryMs * 2 ** Math.min(failures, 10)) / 1000, signal);
    failures += 1;
  };
  while (!signal.aborted) {
    if (version === undefined) {
      const list = await listAll(namespace, api, signal);
      if (list.kind === 'ok') {
        version = list.resourceVersion;
        pods.replace(namespace, list.nodes);
        opened();
      } else await retry(list.kind === 'failed' ? list.reason : undefined);
      continue;
    }
    const startedAt = performance.now();
    const event = ({ type, object }: WatchEvent): void => {
      version = versionOf(object) ?? version;
      if (type === 'BOOKMARK') return;
      pods.take(type, object);
      say();
    };
    const end = await api.watch(namespace, version, { opened, event }, signal);
    if (end.kind === 'expired') version = undefined;
    if (end.kind === 'failed') await retry(end.reason);
    // A server that ends every watch at once is not asked at once again.
    else if (performance.now() - startedAt < retryMs) await pause(retryMs / 1000, signal);
  }
};

/** Of each page only the nodes are kept: a pod is large, and a namespace may have thousands. */
const listAll = async (namespace: string, api: PodApi, signal: AbortSignal) => {
  const nodes = new Map<string, PodNode>();
  let next: string | undefined;
  for (;;) {
    const page = await api.list(namespace, next, signal);
    if (page.kind !== 'ok') return page;
    for (const item of page.items) {
      const key = keyOf(item);
      if (key !== undefined) nodes.set(key, nodeOf(item));
    }
    if (page.next === undefined) return { kind: page.kind, resourceVersion: page.resourceVersion, nodes };
    next = page.next;
  }
};
