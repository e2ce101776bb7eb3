// The pods of some namespaces that hold a node: a list, then a watch from there on, and a list again where the watch began too long ago.

import { isDeepStrictEqual } from 'node:util';
import type { PodsConfig } from '../../config/discovery.ts';
import { pause } from '../../pause.ts';
import type { Found, RunSource, SourceContext } from '../source.ts';
import { type ApiTimes, type PodApi, podApi, type WatchEvent } from './api.ts';
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

interface KnownPods {
  /** The whole list of a namespace. */
  readonly replace: (namespace: string, nodes: ReadonlyMap<string, PodNode>) => void;
  readonly take: (type: string, object: unknown) => void;
  /** Those with an address of now first: a pod that was deleted may have lent its address to another. */
  readonly found: () => readonly Found[];
  readonly close: () => void;
}

interface Known {
  readonly found: Found;
  /** It has this address now. */
  readonly isLive: boolean;
}

const knownPods = (goneAfterMs: number, changed: () => void): KnownPods => {
  const known = new Map<string, Known>();
  const going = new Map<string, NodeJS.Timeout>();
  const stay = (key: string): void => {
    clearTimeout(going.get(key));
    going.delete(key);
  };
  const go = (key: string): void => {
    const one = known.get(key);
    if (one === undefined || going.has(key)) return;
    known.set(key, { ...one, isLive: false });
    const gone = (): void => {
      going.delete(key);
      known.delete(key);
      changed();
    };
    going.set(key, setTimeout(gone, goneAfterMs));
  };
  const set = (key: string, node: PodNode): void => {
    const before = known.get(key);
    if (node === undefined) {
      go(key);
      return;
    }
    stay(key);
    if (node !== 'pending') {
      const isSame = before !== undefined && isDeepStrictEqual(before.found.labels, node.labels);
      known.set(key, { found: isSame ? before.found : node, isLive: true });
    } else if (before !== undefined) known.set(key, { ...before, isLive: false });
  };
  return {
    replace: (namespace, nodes) => {
      for (const [key, node] of nodes) set(key, node);
      for (const key of known.keys()) if (key.startsWith(`${namespace}/`) && !nodes.has(key)) go(key);
    },
    take: (type, object) => {
      const key = keyOf(object);
      if (key === undefined) return;
      if (type === 'DELETED') go(key);
      else set(key, nodeOf(object));
    },
    found: () => {
      const all = [...known.values()];
      return [...all.filter(({ isLive }) => isLive), ...all.filter(({ isLive }) => !isLive)].map((one) => one.found);
    },
    close: () => {
      for (const timer of going.values()) clearTimeout(timer);
    },
  };
};
