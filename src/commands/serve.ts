// The exporter and its server, started and ended together: what `run` and `demo` have in common.

import { fileReader } from '../client/files.ts';
import { exported } from '../config/metrics.ts';
import type { TargetConfig } from '../config/target.ts';
import type { Config } from '../config/types.ts';
import type { Cluster } from '../discovery/source.ts';
import { type Exporter, startExporter } from '../exporter.ts';
import { type PodAddress, podPatcher } from '../kubernetes/api.ts';
import { type KeeperOptions, keepPodLabels } from '../kubernetes/keeper.ts';
import { listeners } from '../memory/listener.ts';
import { createPage, type Selection } from '../metrics/page.ts';
import { createProber, moduleErrors } from '../probe/prober.ts';
import { systemResolve } from '../probe/resolve.ts';
import type { Replaced } from '../replaced.ts';
import type { MetricsReply } from '../server/routes.ts';
import { wallOffset } from '../snapshot/wall-time.ts';
import { logOnce } from '../target-update.ts';
import type { Parsed } from '../yaml/parse.ts';
import { configStatus } from './config-status.ts';
import type { CommandContext } from './context.ts';
import { discoveredTargets } from './discovered.ts';
import { openRemembered } from './remembered.ts';
import { startServers } from './servers.ts';
import { targetMaker } from './targets.ts';
import type { OpenedWeb } from './web-config.ts';

export interface Served extends Partial<Pick<Config, 'probes' | 'stateDir' | 'maintenance' | 'metrics' | 'probe'>> {
  /** Where the configuration is from, for a person. */
  readonly source: string;
  readonly listen: { readonly host: string; readonly port: number; readonly externalAddress?: string };
  /** TLS, users and headers of the first listener. */
  readonly web?: OpenedWeb | undefined;
  readonly targets: readonly TargetConfig[];
  readonly discovery?: Config['discovery'];
  /** Address and credentials of the API server, for discovery. */
  readonly cluster?: Cluster;
  /** Where the kubelet keeps annotations of the pod. */
  readonly podInfoDir?: string;
  /** Labels on the own pod, for the conditions of the first target. */
  readonly podLabels?: (KeeperOptions & PodAddress) | undefined;
  /** Whether the policy that injected this sidecar has changed since; resolves to undefined where nobody knows. */
  readonly injectionOutdated?: (() => Promise<boolean | undefined>) | undefined;
}

export type Serving = Extract<Awaited<ReturnType<typeof serve>>, { readonly kind: 'ok' }>;

/** Seconds that the end may take in all: the kubelet gives a sidecar two. */
const drainMs = 300;
const graceMs = 1000;

type ServeContext = Pick<CommandContext, 'now' | 'wallClock' | 'sinceBoot' | 'log' | 'version' | 'signal'>;

/** Most targets for which is looked who listens: a sidecar's. A look costs the kernel a walk over the connections of its pod. */
const maxListeners = 8;

export const serve = async (
  {
    source,
    listen,
    web,
    probes,
    stateDir,
    targets: settings,
    discovery,
    maintenance,
    podInfoDir,
    podLabels,
    injectionOutdated,
    ...given
  }: Served,
  { now, wallClock = now, sinceBoot = now, log, version, signal }: ServeContext,
) => {
  let exporter: Exporter | undefined;
  const userAgent = `snowgauge/${version}`;
  const toTargets = targetMaker(userAgent, now, (name) => exporter?.connectionClosed(name));
  const targets = toTargets(settings);
  if (targets.kind === 'invalid') return targets;

  const startedAt = now();
  let offset = wallOffset(0, startedAt, wallClock());
  // A fault in either part ends both: a server without a poller would show an old truth for ever.
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const names = settings.map(({ options }) => options.name);
  const remembered = await openRemembered(
    { stateDir, maintenance, targets: names, podInfoDir },
    { now, wallClock, sinceBoot, log, changed: () => exporter?.maintain() },
  );
  const { eventHistory, windows, recall } = remembered;
  const listenerAt = listeners();
  const page = createPage({ version }, undefined, given.metrics && exported(given.metrics));
  const discovered = discoveredTargets(
    { settings, discovery },
    {
      ...{ now, wallNow: () => now() + offset, log, signal: either, userAgent, eventHistory, toTargets },
      cluster: given.cluster ?? { server: undefined, serviceAccountDir: '' },
      replace: (next) => exporter?.replace(next),
    },
  );
  const started = startExporter(targets.value, {
    now,
    wallOffset: () => offset,
    log,
    signal: either,
    eventHistory,
    maintenance: windows.openFor,
    listener: async (url) => ((exporter?.targets.size ?? 0) > maxListeners ? undefined : listenerAt(url)),
    recall,
    polled: (target) => {
      page.prepare(target, now(), offset);
      if (!discovered.has(target.state.options.name)) remembered.keep(target);
    },
    onTick: () => {
      offset = wallOffset(offset, now(), wallClock());
      windows.tick();
    },
  });
  exporter = started;
  discovered.start();
  const keeper =
    podLabels &&
    keepPodLabels(podLabels, {
      targets: () => started.targets,
      patch: podPatcher(podLabels),
      now: wallClock,
      steadyNow: now,
      log,
      signal: either,
    });
  const status = configStatus(source, startedAt);
  const known = () => ({
    targets: started.targets,
    removed: started.removed.targets,
    version: started.version(),
    wallOffset: offset,
  });
  const metrics = (accept?: string, acceptEncoding?: string, part?: Selection, outdated?: boolean) => {
    const { reload } = status.current();
    const podLabelTally = keeper?.tally();
    const removedProbes = started.removed.probes();
    const state = {
      ...known(),
      reload,
      eventHistory: eventHistory.tally(),
      podLabels: podLabelTally,
      removedProbes,
      discovery: discovered.status(),
      injectionOutdated: outdated,
    };
    return page.at(state, now(), accept, acceptEncoding, part);
  };
  const reply: MetricsReply = async (accept, acceptEncoding, part) =>
    metrics(accept, acceptEncoding, part, await injectionOutdated?.());
  const readToken = fileReader();
  let tokenFile = maintenance?.tokenFile;
  const token = () => (tokenFile === undefined ? undefined : readToken(tokenFile));
  const logged = new Set<string>();
  const prober =
    given.probe &&
    createProber(given.probe, {
      resolve: systemResolve,
      userAgent,
      now,
      wallOffset: () => offset,
      onFault: (target, fault) => logOnce(log, logged, target, fault),
      signal: either,
    });
  const inputs = {
    state: () => ({ ...known(), startedAt, stopping: either.aborted, configuration: status.current().configuration }),
    lastTick: started.lastTick,
    metrics: reply,
    ...(prober && { probe: prober.answer }),
    externalAddress: listen.externalAddress,
    probed: started.probed,
    removedProbed: started.removed.probed,
    eventHistory,
    maintenance: { windows, token },
    now,
    log,
    version,
    signal: either,
  };
  const servers = await startServers({ ...listen, probesPort: probes?.port, drainMs, graceMs }, (paths) => ({
    ...inputs,
    ...(paths === 'all' && { web: web?.web }),
  }));
  if (servers.kind === 'invalid') {
    stop.abort();
    await Promise.all([started.finished, keeper?.finished, discovered.finished]);
    await eventHistory.close();
    return servers;
  }
  const polled = started.finished.finally(() => stop.abort());
  // After the last poll, and while requests in flight are still answered.
  const kept = polled.finally(() => eventHistory.close());
  const { url, probesUrl, closed } = servers;
  return {
    kind: 'ok' as const,
    /** Where the page is. */
    url,
    probesUrl,
    /** Other targets and windows from now on; or every error, and nothing has changed. */
    replace: (
      next: Pick<Config, 'targets' | 'maintenance'> & Partial<Pick<Config, 'discovery' | 'metrics' | 'probe'>>,
    ): Parsed<Replaced> => {
      const errors = next.probe === undefined ? [] : moduleErrors(next.probe, userAgent);
      if (errors.length > 0) return { kind: 'invalid', errors };
      const made = discovered.configure(next.targets, next.discovery);
      if (made.kind === 'invalid') return made;
      if (next.probe !== undefined) prober?.configure(next.probe);
      const replaced = started.replace(made.value);
      if (next.metrics !== undefined) page.choose(exported(next.metrics));
      windows.configure(next.maintenance.windows);
      tokenFile = next.maintenance.tokenFile;
      for (const name of replaced.removed) remembered.forget(name);
      return { kind: 'ok', value: replaced };
    },
    configStatus: status,
    /** Resolves after the signal, when polls and requests have ended; rejects on a fault of our own. */
    finished: Promise.all([
      kept,
      keeper?.finished,
      web?.watch(either),
      closed,
      discovered.finished.finally(() => stop.abort()),
    ]).then(() => undefined),
  };
};
