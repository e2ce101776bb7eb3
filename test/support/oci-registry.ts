// A registry that accepts OCI artifacts on a local port without TLS.

import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';

export interface OciRegistry {
  readonly host: string;
  /** `NAME:TAG` -> manifest digest. */
  readonly manifests: ReadonlyMap<string, string>;
  /** Each pushed `NAME:TAG`, in order. */
  readonly pushes: readonly string[];
  /** By digest. */
  readonly blobs: ReadonlyMap<string, Buffer>;
  readonly close: () => void;
}

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => Buffer.concat(await request.toArray());
const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

export const startOciRegistry = async (): Promise<OciRegistry> => {
  const manifests = new Map<string, string>();
  const pushed = new Map<string, { readonly type: string; readonly body: Buffer }>();
  const pushes: string[] = [];
  const blobs = new Map<string, Buffer>();
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://registry.example');
    const [, name = '', kind, reference = ''] = /^\/v2\/(.+)\/(blobs|manifests)\/(.*)$/.exec(pathname) ?? [];
    const end = (status: number, headers: Readonly<Record<string, string>> = {}) => response.writeHead(status, headers).end();
    if (kind === undefined) return end(pathname === '/v2/' ? 200 : 404);
    if (request.method === 'POST') return end(202, { location: `${pathname}one` });
    const digest = digestOf(body);
    const known = pushed.get(manifests.get(`${name}:${reference}`) ?? reference);
    if (request.method !== 'PUT' && kind === 'manifests' && known !== undefined) {
      const headers = { 'content-type': known.type, 'content-length': known.body.length };
      response.writeHead(200, { ...headers, 'docker-content-digest': digestOf(known.body) });
      return response.end(request.method === 'HEAD' ? undefined : known.body);
    }
    const blob = blobs.get(reference);
    if (request.method === 'GET' && blob !== undefined) {
      response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': blob.length });
      return response.end(blob);
    }
    if (request.method !== 'PUT') return end(blob === undefined ? 404 : 200);
    if (kind === 'blobs') {
      if (searchParams.get('digest') !== digest) return end(400);
      blobs.set(digest, body);
    } else {
      pushed.set(digest, { type: request.headers['content-type'] ?? '', body });
      manifests.set(`${name}:${reference}`, digest);
      if (!reference.startsWith('sha256:')) pushes.push(`${name}:${reference}`);
    }
    return end(201, { location: pathname, 'docker-content-digest': digest });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { host: `127.0.0.1:${port}`, manifests, pushes, blobs, close };
};
