// What an API server says of pods: pages of a list, and a watch from a resourceVersion on, with bookmarks and with an end. Over real TLS.

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
}

const podOf = (given: PodGiven, version: number): object => {
  const {
    namespace = 'a',
    name,
    ip,
    labels,
    annotations,
    phase = 'Running',
    ports = [{ containerPort: 9650, hostPort: 30_650 }],
  } = given;
  const metadata = { name, namespace, uid: `uid-${name}`, labels, annotations, resourceVersion: String(version) };
  const owner = { ownerReferences: [{ kind: 'StatefulSet', name: 'node', controller: true }] };
  return {
    metadata: { ...metadata, ...owner },
    spec: { nodeName: 'machine-1', containers: [{ name: 'main', ports }] },
    status: {
      phase,
      hostIP: '192.0.2.1',
      ...(ip !== undefined && { podIP: ip }),
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
};

interface Change {
  readonly version: number;
  readonly namespace: string;
  readonly line: string;
}

/** A status: answers everything so. `mute`: takes requests and answers nothing. */
type Mood = 'well' | 'mute' | { readonly status: number; readonly message: string };

export const servePods = async (pageSize = 2) => {
  let version = 100;
  /** Changes before it are forgotten. */
  let oldest = 100;
  let mood: Mood = 'well';
  const pods = new Map<string, { readonly given: PodGiven; readonly object: object }>();
  const changes: Change[] = [];
  const watches = new Set<{ readonly namespace: string; readonly response: ServerResponse }>();
  const asked: URL[] = [];
  const json = (response: ServerResponse, status: number, body: object): void => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  const write = (change: Change): void => {
    changes.push(change);
    for (const one of watches) if (one.namespace === change.namespace) one.response.write(change.line);
  };

  const list = (namespace: string, query: URLSearchParams, response: ServerResponse): void => {
    const all = [...pods.values()].filter(({ given }) => (given.namespace ?? 'a') === namespace);
    const from = Number(query.get('continue') ?? 0);
    const next = from + pageSize < all.length ? String(from + pageSize) : '';
    const items = all.slice(from, from + pageSize).map(({ object }) => object);
    json(response, 200, { kind: 'PodList', metadata: { resourceVersion: String(version), continue: next }, items });
  };
  const watch = (namespace: string, query: URLSearchParams, response: ServerResponse): void => {
    const since = Number(query.get('resourceVersion'));
    response.writeHead(200, { 'content-type': 'application/json' });
    if (since < oldest) {
      response.end(`${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } })}\n`);
      return;
    }
    response.flushHeaders();
    for (const one of changes) if (one.version > since && one.namespace === namespace) response.write(one.line);
    const own = { namespace, response };
    watches.add(own);
    response.on('close', () => watches.delete(own));
    setTimeout(() => response.end(), Number(query.get('timeoutSeconds')) * 1000).unref();
  };
  const certificate = { cert: await readFile(join(tls, 'server.crt')), key: await readFile(join(tls, 'server.key')) };
  const server = await serveHttps(certificate, (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', 'https://api');
    asked.push(url);
    const namespace = /^\/api\/v1\/namespaces\/([^/]+)\/pods$/.exec(url.pathname)?.[1];
    if (mood === 'mute') return;
    if (mood !== 'well') json(response, mood.status, { kind: 'Status', message: mood.message, code: mood.status });
    else if (request.headers.authorization !== 'Bearer secret-token' || namespace === undefined)
      json(response, 401, { message: 'Unauthorized' });
    else if (namespace === 'forbidden') json(response, 403, { message: 'no right' });
    else if (url.searchParams.has('watch')) watch(namespace, url.searchParams, response);
    else list(namespace, url.searchParams, response);
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
    /** Created, or changed. */
    put: (given: PodGiven) => {
      const { namespace = 'a', name } = given;
      const key = `${namespace}/${name}`;
      version += 1;
      const object = podOf(given, version);
      write({ version, namespace, line: `${JSON.stringify({ type: pods.has(key) ? 'MODIFIED' : 'ADDED', object })}\n` });
      pods.set(key, { given, object });
    },
    remove: (name: string, namespace = 'a') => {
      const pod = pods.get(`${namespace}/${name}`);
      pods.delete(`${namespace}/${name}`);
      version += 1;
      if (pod !== undefined)
        write({ version, namespace, line: `${JSON.stringify({ type: 'DELETED', object: podOf(pod.given, version) })}\n` });
    },
    /** The version moves on without a change of a pod that is watched. */
    bookmark: (namespace = 'a') => {
      version += 50;
      write({
        version,
        namespace,
        line: `${JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: String(version) } } })}\n`,
      });
    },
    /** Half a line, to every watch. */
    tear: () => {
      for (const { response } of watches) response.write('{"type":"ADDED","object":{"meta');
    },
    /** Connections break off. */
    drop: () => {
      for (const { response } of watches) response.socket?.destroy();
    },
    /** What happened until now is forgotten, and the watches end. */
    forget: () => {
      version += 1;
      oldest = version;
      changes.length = 0;
      for (const { response } of watches) response.end();
    },
  };
};
