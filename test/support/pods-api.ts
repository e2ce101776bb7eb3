// A simulated API server for pods and one StatefulSet: paged lists, and watches from a resourceVersion with bookmarks and expiry.
// Over real TLS.

import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { accountOf, tls } from './label-keeper.ts';
import { serveHttps } from './serve.ts';

export interface PodGiven {
  readonly namespace?: string;
  readonly name: string;
  readonly ip?: string | undefined;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ports?: readonly object[];
  readonly phase?: string;
  readonly deletionTimestamp?: string;
}

const podOf = (given: PodGiven, version: number): object => {
  const {
    namespace = 'a',
    name,
    ip,
    labels,
    annotations,
    phase = 'Running',
    deletionTimestamp,
    ports = [{ containerPort: 9650, hostPort: 30_650 }],
  } = given;
  const metadata = { name, namespace, uid: `uid-${name}`, labels, annotations, resourceVersion: String(version) };
  const owner = { ownerReferences: [{ kind: 'StatefulSet', name: 'node', controller: true }] };
  return {
    metadata: { ...metadata, ...owner, deletionTimestamp },
    spec: { nodeName: 'machine-1', containers: [{ name: 'main', ports }] },
    status: {
      phase,
      hostIP: '192.0.2.1',
      ...(ip !== undefined && { podIP: ip }),
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
};

export interface SetGiven {
  readonly name: string;
  readonly replicas: number;
  readonly ready: number;
  readonly service?: string;
  readonly start?: number;
}

const setOf = ({ name, replicas, ready, service = 'pods', start }: SetGiven, version: number): object => ({
  metadata: { name, namespace: 'a', resourceVersion: String(version) },
  spec: { replicas, serviceName: service, ...(start !== undefined && { ordinals: { start } }) },
  status: { replicas, ...(ready > 0 && { readyReplicas: ready }) },
});

/** `collection` is the namespace of the pods, or `sets` for StatefulSets. */
interface Change {
  readonly version: number;
  readonly collection: string;
  readonly line: string;
}

/** A status answers every request with it. `mute` accepts requests without answering. */
type Mood = 'well' | 'mute' | { readonly status: number; readonly message: string };

export const servePods = async (pageSize = 2) => {
  let version = 100;
  /** Older changes have expired. */
  let oldest = 100;
  let mood: Mood = 'well';
  const objects = new Map<string, { readonly collection: string; readonly given?: PodGiven; readonly object: object }>();
  const changes: Change[] = [];
  /** Pending lists by namespace. */
  const held = new Map<string, (() => void)[]>();
  const forbidden = new Set(['forbidden']);
  /** Namespaces that may be listed but not watched, and those whose further pages have expired. */
  const [unwatchable, expiring] = [new Set<string>(), new Set<string>()];
  const watches = new Set<{ readonly collection: string; readonly response: ServerResponse }>();
  const asked: URL[] = [];
  const json = (response: ServerResponse, status: number, body: object): void => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  const write = (change: Change): void => {
    changes.push(change);
    for (const one of watches) if (one.collection === change.collection) one.response.write(change.line);
  };

  const change = (collection: string, key: string, make: (version: number) => object, given?: PodGiven): void => {
    version += 1;
    const object = make(version);
    const type = objects.has(key) ? 'MODIFIED' : 'ADDED';
    write({ version, collection, line: `${JSON.stringify({ type, object })}\n` });
    objects.set(key, { collection, object, ...(given && { given }) });
  };

  const list = (collection: string, query: URLSearchParams, response: ServerResponse): void => {
    const all = [...objects.values()].filter((one) => one.collection === collection);
    const from = Number(query.get('continue') ?? 0);
    const next = from + pageSize < all.length ? String(from + pageSize) : '';
    const items = all.slice(from, from + pageSize).map(({ object }) => object);
    json(response, 200, { kind: 'List', metadata: { resourceVersion: String(version), continue: next }, items });
  };
  const watch = (collection: string, query: URLSearchParams, response: ServerResponse): void => {
    const since = Number(query.get('resourceVersion'));
    response.writeHead(200, { 'content-type': 'application/json' });
    if (since < oldest) {
      response.end(`${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } })}\n`);
      return;
    }
    response.flushHeaders();
    for (const one of changes) if (one.version > since && one.collection === collection) response.write(one.line);
    const own = { collection, response };
    watches.add(own);
    response.on('close', () => watches.delete(own));
    setTimeout(() => response.end(), Number(query.get('timeoutSeconds')) * 1000).unref();
  };
  const certificate = { cert: await readFile(join(tls, 'server.crt')), key: await readFile(join(tls, 'server.key')) };
  const server = await serveHttps(certificate, (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', 'https://api');
    asked.push(url);
    // As with resourceNames in a Role, only a request that names the object may list it.
    const isSet = url.pathname === '/apis/apps/v1/namespaces/a/statefulsets';
    const isNamed = url.searchParams.get('fieldSelector')?.startsWith('metadata.name=') === true;
    const ofPods = /^\/api\/v1\/namespaces\/([^/]+)\/pods$/.exec(url.pathname)?.[1];
    const collection = isSet ? (isNamed ? 'sets' : 'forbidden') : ofPods;
    if (mood === 'mute') return;
    if (mood !== 'well') json(response, mood.status, { kind: 'Status', message: mood.message, code: mood.status });
    else if (request.headers.authorization !== 'Bearer secret-token' || collection === undefined)
      json(response, 401, { message: 'Unauthorized' });
    else if (forbidden.has(collection)) json(response, 403, { message: 'no right' });
    else if (url.searchParams.has('watch') && unwatchable.has(collection)) json(response, 403, { message: 'no right' });
    else if (url.searchParams.has('continue') && expiring.has(collection)) json(response, 410, { message: 'expired' });
    else if (url.searchParams.has('watch')) watch(collection, url.searchParams, response);
    else {
      const answer = (): void => list(collection, url.searchParams, response);
      const waiting = held.get(collection);
      if (waiting === undefined) answer();
      else waiting.push(answer);
    }
  });
  onTestFinished(() => server.close());
  return {
    cluster: { server: server.url, serviceAccountDir: accountOf() },
    asked,
    lists: () => asked.filter(({ searchParams }) => !searchParams.has('watch') && !searchParams.has('continue')).length,
    watches: () => watches.size,
    be: (next: Mood) => {
      mood = next;
    },
    /** Delays lists of the namespace until the returned function is called. */
    hold: (namespace: string) => {
      held.set(namespace, []);
      return (): void => {
        const all = held.get(namespace) ?? [];
        held.delete(namespace);
        for (const answer of all) answer();
      };
    },
    /** Denies further lists and watches of its pods; open watches continue. */
    forbid: (namespace: string) => {
      forbidden.add(namespace);
    },
    /** Denies only watches of its pods; expires the second page of each list; or allows both again. */
    forbidWatch: (namespace: string) => {
      unwatchable.add(namespace);
    },
    expire: (namespace: string) => {
      expiring.add(namespace);
    },
    allow: (namespace: string) => {
      for (const one of [unwatchable, expiring]) one.delete(namespace);
    },
    /** Creates or changes a pod. */
    put: (given: PodGiven) => {
      const { namespace = 'a', name } = given;
      change(namespace, `${namespace}/${name}`, (at) => podOf(given, at), given);
    },
    remove: (name: string, namespace = 'a') => {
      const pod = objects.get(`${namespace}/${name}`);
      objects.delete(`${namespace}/${name}`);
      version += 1;
      if (pod?.given === undefined) return;
      const object = podOf(pod.given, version);
      write({ version, collection: namespace, line: `${JSON.stringify({ type: 'DELETED', object })}\n` });
    },
    /** Creates or changes the StatefulSet. */
    scale: (given: SetGiven) => change('sets', `sets/${given.name}`, (at) => setOf(given, at)),
    /** Advances the resourceVersion without a change of a watched pod. */
    bookmark: (namespace = 'a') => {
      version += 50;
      write({
        version,
        collection: namespace,
        line: `${JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: String(version) } } })}\n`,
      });
    },
    /** Sends half a line to every watch. */
    tear: () => {
      for (const { response } of watches) response.write('{"type":"ADDED","object":{"meta');
    },
    /** Breaks all connections. */
    drop: () => {
      for (const { response } of watches) response.socket?.destroy();
    },
    /** Expires all changes so far and ends the watches. */
    forget: () => {
      version += 1;
      oldest = version;
      changes.length = 0;
      for (const { response } of watches) response.end();
    },
  };
};
