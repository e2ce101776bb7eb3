// Starts and stops the exporter together with its servers. Used by `run`, `demo` and `drill`.

import { setMaxListeners } from 'node:events';
import { createBudget } from '../client/budget.ts';
import { createLookups } from '../client/lookup.ts';
import { exported } from '../config/metrics.ts';
import { type Exporter, startExporter } from '../exporter.ts';
import { podPatcher } from '../kubernetes/api.ts';
import { keepPodLabels } from '../kubernetes/keeper.ts';
import { listeners } from '../memory/listener.ts';
import { createPage } from '../metrics/page.ts';
import { createProber } from '../probe/prober.ts';
import type { MetricsReply } from '../server/reply.ts';
import { wallOffset } from '../snapshot/wall-time.ts';
import { logOnce } from '../target-update.ts';
import { configStatus } from './config-status.ts';
import type { CommandContext } from './context.ts';
import { discoveredTargets } from './discovered.ts';
import { watchOverload } from './overload.ts';
import { reconfigurable } from './reconfigure.ts';
import { openRemembered } from './remembered.ts';
import type { Served } from './served.ts';
import { startServers } from './servers.ts';
import { type Sharding, shardingOf } from './sharding.ts';
import { targetMaker } from './targets.ts';

export type Serving = Extract<Awaited<ReturnType<typeof serve>>, { readonly kind: 'ok' }>;

/** Parts of the two seconds that the kubelet gives a sidecar to stop. */
const drainMs = 300;
const graceMs = 1000;

type ServeContext = Pick<CommandContext, 'now' | 'wallClock' | 'sinceBoot' | 'log' | 'version' | 'signal'>;

/** Maximum targets for which listening sockets are checked, as in a sidecar: each check makes the kernel scan the pod's connections. */
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
  let sharding: Sharding | undefined;
  const userAgent = `snowgauge/${version}`;
  const isOwn = (name: string): boolean => given.shard === undefined || sharding?.share.isOwn(name) === true;
  const budget = createBudget();
  const { lookup, resolve } = createLookups();
  const toTargets = targetMaker(userAgent, now, { budget, lookup, onClosed: (name) => exporter?.connectionClosed(name) }, isOwn);
  const targets = toTargets(settings);
  if (targets.kind === 'invalid') return targets;

  const startedAt = now();
  let offset = wallOffset(0, startedAt, wallClock());
  const wallNow = (): number => now() + offset;
  // If either part fails, both end: a server without a poller would show outdated data forever.
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  // One listener per part. A shard with discovery has more than the ten at which Node.js warns of a leak.
  setMaxListeners(0, either);
  const names = settings.map(({ options }) => options.name);
  const remembered = await openRemembered(
    { stateDir, maintenance, targets: names, podInfoDir },
    { now, wallClock, sinceBoot, log, signal, changed: () => exporter?.maintain() },
  );
  if (remembered.kind === 'invalid') return remembered;
  const { eventHistory, windows, recall, discovered: memory } = remembered;
  const listenerAt = listeners();
  const overload = watchOverload({ now, log, signal: either });
  const chosen = given.metrics && exported(given.metrics);
  const page = createPage({ version }, undefined, chosen);
  const cluster = { ...(given.cluster ?? { server: undefined, serviceAccountDir: '' }), lookup };
  const discovered = discoveredTargets(
    { settings, discovery },
    {
      ...{ now, wallNow, log, signal: either, userAgent, lookup, eventHistory, toTargets, cluster, memory },
      replace: (next) => exporter?.replace(next),
      ...(given.shard && { share: { isOwn, isToStay: (name) => sharding?.share.isToStay(name) === true } }),
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
    forgetsRemoved: given.shard !== undefined,
    polled: (target) => {
      page.prepare(target, now(), offset);
      if (!discovered.has(target.state.options.name)) remembered.keep(target);
    },
    onTick: () => {
      offset = wallOffset(offset, now(), wallClock());
      remembered.tick();
      overload.tick();
    },
  });
  exporter = started;
  sharding =
    given.shard &&
    shardingOf(
      { setting: given.shard, listen, cluster, pace: given.shardPace },
      {
        ...{ now, log, signal: either },
        ...{
          all: discovered.all,
          lists: discovered.waitsFor,
          longestInterval: discovered.longestInterval,
          changed: discovered.shareChanged,
        },
        watched: () => started.targets.size,
        failed: () => stop.abort(),
      },
    );
  if (sharding !== undefined) discovered.shareChanged();
  discovered.start();
  const keeper =
    podLabels &&
    keepPodLabels(podLabels, {
      targets: () => started.targets,
      patch: podPatcher({ ...podLabels, lookup }),
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
    discovery: discovered.status(),
  });
  const metrics: MetricsReply = async (accept, acceptEncoding, part) => {
    const outdated = await injectionOutdated?.();
    const state = {
      ...known(),
      injectionOutdated: outdated,
      reload: status.current().reload,
      eventHistory: eventHistory.tally(),
      stateDir: remembered.stateDir?.(),
      podLabels: keeper?.tally(),
      removedProbes: started.removed.probes(),
      shard: sharding?.tally(),
      overload: overload.tally(),
    };
    return page.at(state, now(), accept, acceptEncoding, part);
  };
  const loggedFaults = new Set<string>();
  const prober =
    given.probe &&
    createProber(
      given.probe,
      {
        ...{ budget, resolve, userAgent, now, wallOffset: () => offset, signal: either },
        onFault: (target, fault) => logOnce(log, loggedFaults, target, fault),
      },
      chosen,
    );
  const { replace, clients, token } = reconfigurable(
    { listen, maintenance, ...given },
    { exporter: started, ...{ discovered, prober, page, windows, eventHistory, wallNow, userAgent }, forget: remembered.forget },
  );
  const inputs = {
    state: () => ({ ...known(), startedAt, stopping: either.aborted, configuration: status.current().configuration }),
    lastTick: started.lastTick,
    metrics,
    ...(prober && { probe: prober.answer }),
    externalAddress: listen.externalAddress,
    ...(sharding && { shards: sharding.fleet }),
    lists: discovered.waitsFor,
    ...overload.inputs,
    ...(remembered.stateDir && { stateDir: remembered.stateDir }),
    probed: started.probed,
    removedProbed: started.removed.probed,
    eventHistory,
    maintenance: { windows, token },
    clients,
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
    await Promise.all([started.finished, keeper?.finished, discovered.finished, sharding?.finished]);
    await remembered.close();
    return servers;
  }
  const polled = started.finished.finally(() => stop.abort());
  // After the last poll, while requests in flight are still served.
  const kept = polled.finally(remembered.close);
  const { url, probesUrl, closed } = servers;
  return {
    kind: 'ok' as const,
    /** URL of the page. */
    url,
    probesUrl,
    /** Number of targets. */
    watched: (): number => started.targets.size,
    /** Applies another configuration. If there are errors, it returns all of them and changes nothing. */
    replace,
    configStatus: status,
    /** Why the server has stopped by itself. */
    fault: (): string | undefined => sharding?.fault(),
    /** Resolves after the signal, when polls and requests have ended. Rejects on a bug. */
    finished: Promise.all([
      kept,
      keeper?.finished,
      web?.watch(either, (errors) => status.setWebErrors(now(), errors)),
      closed,
      sharding?.finished,
      discovered.finished.finally(() => stop.abort()),
    ]).then(() => undefined),
  };
};
