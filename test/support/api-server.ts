// etcd and kube-apiserver without the rest of Kubernetes, so nothing runs the created pods. Enough to patch, deny and restart.

import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: objects of any kind
  readonly body: any;
}

export interface ApiServer {
  readonly port: number;
  /** Sends a request as the administrator or with another token. */
  readonly ask: (method: string, path: string, body?: object, token?: string) => Promise<Answer>;
  /** Sends a request and throws unless it succeeds. */
  readonly must: (method: string, path: string, body?: object) => Promise<Answer['body']>;
  /** PEM */
  readonly authority: () => string;
  /** Kills it like `kill -9`. */
  readonly kill: () => Promise<void>;
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const startMs = 180_000;

export const startApiServer = async (etcd: string, kubeApiserver: string): Promise<ApiServer> => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-api-'));
  const [port, client, peer] = [await freePort(), await freePort(), await freePort()];
  const admin = randomBytes(16).toString('hex');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(join(folder, 'accounts.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }));
  writeFileSync(join(folder, 'tokens.csv'), `${admin},admin,1,system:masters\n`);
  let said = '';
  const run = (program: string, args: readonly string[]): ChildProcess => {
    const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-20_000);
    });
    return child;
  };
  const store = run(etcd, [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=http://127.0.0.1:${client}`,
    `--advertise-client-urls=http://127.0.0.1:${client}`,
    `--listen-peer-urls=http://127.0.0.1:${peer}`,
    '--unsafe-no-fsync',
  ]);
  const serve = (): ChildProcess =>
    run(kubeApiserver, [
      `--etcd-servers=http://127.0.0.1:${client}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${join(folder, 'pki')}`,
      '--service-cluster-ip-range=10.96.0.0/24',
      '--authorization-mode=RBAC',
      `--token-auth-file=${join(folder, 'tokens.csv')}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${join(folder, 'accounts.key')}`,
      `--service-account-signing-key-file=${join(folder, 'accounts.key')}`,
      '--disable-admission-plugins=ServiceAccount',
    ]);
  let server = serve();

  const authority = (): string => readFileSync(join(folder, 'pki', 'apiserver.crt'), 'utf8');
  const ask = (method: string, path: string, body?: object, token = admin): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Connection: 'close' };
      const merge = method === 'PATCH' ? { 'Content-Type': 'application/merge-patch+json' } : {};
      const options = { method, headers: { ...headers, ...merge }, ca: authority(), timeout: 60_000, agent: false };
      const sent = request(`https://127.0.0.1:${port}${path}`, options, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.on('error', reject);
        response.on('end', () => {
          const isJson = response.headers['content-type']?.includes('json') === true;
          resolve({ status: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : text });
        });
      });
      sent.on('timeout', () => sent.destroy(new Error('no answer within a minute')));
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  const must = async (method: string, path: string, body?: object): Promise<Answer['body']> => {
    const answer = await ask(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const ready = async (): Promise<void> => {
    const until = Date.now() + startMs;
    while (Date.now() < until) {
      if (server.exitCode !== null || store.exitCode !== null) break;
      const answers = await Promise.allSettled([ask('GET', '/readyz'), ask('GET', '/api/v1/namespaces/default')]);
      if (answers.every((one) => one.status === 'fulfilled' && one.value.status === 200)) return;
      await sleep(200);
    }
    throw new Error(`the API server did not start: ${said}`);
  };
  const kill = async (): Promise<void> => {
    const gone = once(server, 'exit');
    server.kill('SIGKILL');
    await gone;
  };
  await ready();
  return {
    port,
    ask,
    must,
    authority,
    kill,
    restart: async () => {
      server = serve();
      await ready();
    },
    stop: async () => {
      const ends = [server, store].filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
      const gone = Promise.all(ends.map((child) => once(child, 'exit')));
      for (const child of ends) child.kill('SIGKILL');
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
