// A real Kubernetes in a temporary machine (machine.sh): API server, controllers, scheduler, DNS, kubelet, containerd.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { buildImage, containerEnv, imageName, imageObstacle } from '../image.ts';
import { runTool, type ToolOptions } from '../run-tool.ts';
import { forced, toolCache, toolPath } from '../tools.ts';
import { type Ask, askInside } from './inside.ts';

/** The folder of all its files except the images of the host. */
export const state = join(toolCache, 'cluster');
const kubeconfig = join(state, 'kubeconfig');
const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const env: NodeJS.ProcessEnv = {
  ...process.env,
  KUBECONFIG: kubeconfig,
  PATH: [join(toolCache, 'bin'), process.env.PATH, '/usr/sbin', '/sbin'].join(delimiter),
};

const tools = [
  ...['kubernetes', 'kubectl', 'coredns', 'helm', 'etcd', 'containerd', 'catatonit', 'openssl', 'ip', 'nsenter', 'setpriv'],
];

/** Why no cluster can run here, if so. */
export const clusterObstacle = (): string | undefined => {
  const missing = tools.filter((tool) => toolPath(tool) === undefined);
  if (missing.length > 0) return `not installed: ${missing.join(', ')}`;
  const noImage = imageObstacle();
  if (noImage !== undefined) return noImage;
  const namespaces = spawnSync('unshare', ['-m', '-n', '-p', '-C', '--fork', 'true'], { encoding: 'utf8' });
  if (namespaces.status === 0) return undefined;
  return `the ${forced} namespaces: ${namespaces.stderr.trim()}`;
};

export interface Cluster {
  /** Runs a program in the machine, with its network. */
  readonly exec: (command: readonly string[], options?: ToolOptions) => Promise<string>;
  readonly kubectl: (args: readonly string[], options?: ToolOptions) => Promise<string>;
  readonly helm: (args: readonly string[], options?: ToolOptions) => Promise<string>;
  /** The object as stored in the API server. */
  readonly get: (kind: string, namespace: string, name: string) => Promise<unknown>;
  /** Requests a URL from within the machine, with its network. */
  readonly ask: Ask;
  /** Reads a path of the API server. For repeated reads: starting kubectl takes a tenth of a second of CPU. */
  readonly read: (path: string) => Promise<unknown>;
  readonly apply: (namespace: string, ...objects: readonly unknown[]) => Promise<void>;
  /** Copies an image from the host's store into the cluster. */
  readonly load: (image: string) => Promise<void>;
  /** The objects, events and logs of a namespace, to find the cause of a failure. */
  readonly report: (namespace: string) => Promise<string>;
  readonly stop: () => Promise<void>;
}

/** The image of the pods. */
export const image = imageName('cluster');

export const startCluster = async (log: (line: string) => void): Promise<Cluster> => {
  const begun = Date.now();
  const say = (what: string) => log(`cluster: ${what} (${((Date.now() - begun) / 1000).toFixed(0)} s)`);
  mkdirSync(toolCache, { recursive: true });
  // Only one cluster at a time: it has one cgroup and one folder.
  const lock = await untilSays('locked', ['flock', '--no-fork', `${state}.lock`, 'sh', '-c', 'echo locked; exec sleep infinity']);
  say('nobody else has one');
  await runTool('bash', [script('machine.sh'), 'down', state], { env });
  rmSync(state, { recursive: true, force: true });
  const machine = await untilSays('up', ['bash', script('machine.sh'), 'up', state]);
  const cluster = clusterOn(async () => {
    await runTool('bash', [script('machine.sh'), 'down', state], { env });
    await ended(machine);
    rmSync(state, { recursive: true, force: true });
    lock.kill();
    await ended(lock);
  });
  try {
    await cluster.exec(['bash', script('control-plane.sh'), state]);
    await cluster.exec(['bash', script('kubelet.sh'), state]);
    say('Kubernetes is up');
    await cluster.load('localhost/snowgauge/pause:latest');
    await cluster.load(await buildImage('cluster'));
    say('the image is in it');
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
};

/** Starts a process that ends with this one, even if this one is killed; resolves once it has printed the word. */
const untilSays = async (word: string, command: readonly string[]): Promise<ChildProcess> => {
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...command], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) if (line === word) return child;
  throw new Error(`ended before it said ${word}: ${command.join(' ')}`);
};

const ended = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
};

const clusterOn = (stop: () => Promise<void>): Cluster => {
  const ask = askInside(['bash', script('machine.sh'), 'exec', state], env, join(state, 'pki'));
  const exec: Cluster['exec'] = (command, options = {}) =>
    runTool('bash', [script('machine.sh'), 'exec', state, ...command], { ...options, env: { ...env, ...options.env } });
  /** Retries when the API server is busy. */
  const read = async (path: string, tries = 4): Promise<unknown> => {
    try {
      const { status, body } = await ask(`https://127.0.0.1:6443${path}`, { timeoutMs: 60_000 });
      if (status !== 200) throw new Error(`${path}: ${status} ${body}`);
      return JSON.parse(body);
    } catch (error) {
      if (tries === 1) throw error;
      await pause(1000);
      return read(path, tries - 1);
    }
  };
  const kubectl: Cluster['kubectl'] = (args, options) => exec(['kubectl', ...args], options);
  return {
    exec,
    kubectl,
    helm: (args, options) => exec(['helm', ...args], options),
    get: async (kind, namespace, name) =>
      JSON.parse(await kubectl(['--namespace', namespace, 'get', kind, name, '--output=json'])),
    ask,
    read: (path) => read(path),
    apply: async (namespace, ...items) => {
      const list = { apiVersion: 'v1', kind: 'List', items };
      await kubectl(['--namespace', namespace, 'apply', '--server-side', '--force-conflicts', '--filename=-'], {
        input: JSON.stringify(list),
      });
    },
    load: async (name) => {
      const archive = join(state, 'image.tar');
      rmSync(archive, { force: true });
      await runTool('buildah', ['push', '--quiet', name, `docker-archive:${archive}:${name}`], { env: containerEnv });
      await exec(['ctr', '--namespace', 'k8s.io', 'images', 'import', archive]);
    },
    report: async (namespace) => {
      const parts = [
        ['get', 'pods,services,endpointslices', '--output=wide'],
        ['get', 'events', '--sort-by=.lastTimestamp'],
        ['describe', 'pods'],
        ['logs', '--all-containers', '--prefix', '--tail=20', '--selector=app.kubernetes.io/name=snowgauge'],
      ].map((args) => kubectl(['--namespace', namespace, ...args]).catch(String));
      const logs = ['kubelet', 'kube-apiserver'].map((name) => `--- ${name}\n${lastLines(join(state, `${name}.log`), 20)}`);
      return [...(await Promise.all(parts)), ...logs].join('\n');
    },
    stop,
  };
};

const lastLines = (file: string, count: number): string =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(-count).join('\n') : '';
