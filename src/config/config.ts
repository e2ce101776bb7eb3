// The schema of the configuration: every setting, with its default and description.

import * as z from 'zod/mini';
import { valueAt } from '../yaml/path.ts';
import { rule } from '../yaml/rules.ts';
import { discovery, discoveryRule } from './discovery.ts';
import { address, host, mappingSuchAs, path, port } from './fields.ts';
import { kubernetes, podLabelsRule } from './kubernetes.ts';
import { maintenance, maintenanceRule } from './maintenance.ts';
import { metrics } from './metrics.ts';
import { probeSettings } from './probe.ts';
import { server } from './server.ts';
import { setting } from './setting.ts';
import { defaultTarget, targets } from './target.ts';

/** The environment variable of each global setting that is a scalar. */
export const globalVariables = [
  { path: ['listen', 'host'], variable: 'SNOWGAUGE_LISTEN_HOST' },
  { path: ['listen', 'port'], variable: 'SNOWGAUGE_LISTEN_PORT' },
  { path: ['listen', 'externalAddress'], variable: 'SNOWGAUGE_LISTEN_EXTERNAL_ADDRESS' },
  { path: ['probes', 'port'], variable: 'SNOWGAUGE_PROBES_PORT' },
  { path: ['stateDir'], variable: 'SNOWGAUGE_STATE_DIR' },
  { path: ['maintenance', 'tokenFile'], variable: 'SNOWGAUGE_MAINTENANCE_TOKEN_FILE' },
  { path: ['kubernetes', 'podName'], variable: 'SNOWGAUGE_POD_NAME' },
  { path: ['kubernetes', 'podNamespace'], variable: 'SNOWGAUGE_POD_NAMESPACE' },
  { path: ['kubernetes', 'injectionRevision'], variable: 'SNOWGAUGE_INJECTION_REVISION' },
  { path: ['kubernetes', 'injectionRevisionFile'], variable: 'SNOWGAUGE_INJECTION_REVISION_FILE' },
  { path: ['kubernetes', 'podInfoDir'], variable: 'SNOWGAUGE_POD_INFO_DIR' },
  { path: ['kubernetes', 'serviceAccountDir'], variable: 'SNOWGAUGE_SERVICE_ACCOUNT_DIR' },
  { path: ['kubernetes', 'podLabels', 'enabled'], variable: 'SNOWGAUGE_POD_LABELS_ENABLED' },
  { path: ['kubernetes', 'podLabels', 'onShutdown'], variable: 'SNOWGAUGE_POD_LABELS_ON_SHUTDOWN' },
  { path: ['kubernetes', 'podLabels', 'confirmEvery'], variable: 'SNOWGAUGE_POD_LABELS_CONFIRM_EVERY' },
] as const;

export const defaultListen = { host: '0.0.0.0', port: 9652 } as const;

const listen = z.strictObject(
  {
    host: setting({ description: 'Address to listen on.' }, z.prefault(host, defaultListen.host)),
    port: setting(
      { description: 'Port of /metrics, the status page, the API and the probe paths. 0 for any free port.' },
      z.prefault(port, defaultListen.port),
    ),
    externalAddress: setting(
      {
        description:
          'Host and port at which Prometheus reaches this process, for `/api/v1/sd`. Must not be a load-balanced Service. `{shard}` is replaced by the shard number. Default: the DNS name of the pod in the headless Service of its StatefulSet if known, else the Host header of the request.',
      },
      z.exactOptional(address),
    ),
  },
  mappingSuchAs('{ host: 127.0.0.1, port: 9652 }'),
);

const probes = z.strictObject(
  { port: setting({ description: 'Separate port for the probe paths, always plain HTTP.' }, port) },
  mappingSuchAs('{ port: 9653 }'),
);

/** The input is a configuration file, in which durations and sizes are texts. */
export const configSchema = z
  .strictObject({
    listen: setting({ description: 'Address that snowgauge listens on.' }, z.prefault(listen, {})),
    probes: setting({ description: 'Separate listener for the probe paths.' }, z.exactOptional(probes)),
    server: setting({ description: 'Which clients are accepted. See docs/clients.md.' }, z.prefault(server, {})),
    stateDir: setting(
      {
        description:
          'Directory for state that survives a restart: event history, liveness state, known indexes and subnets, discovered targets, and maintenance windows set by the API. Each replica needs its own.',
      },
      z.exactOptional(path),
    ),
    metrics: setting({ description: 'Metric families to export.' }, z.prefault(metrics, {})),
    maintenance: setting(
      { description: 'Maintenance windows, in which alerts are inhibited. See docs/maintenance.md.' },
      z.prefault(maintenance, {}),
    ),
    probe: setting({ description: 'The /probe endpoint. See docs/probe.md.' }, z.prefault(probeSettings, {})),
    kubernetes: setting({ description: 'Settings for running in a Kubernetes pod.' }, z.prefault(kubernetes, {})),
    targets: setting(
      {
        description:
          'Nodes to poll. Default: one target named `node` at SNOWGAUGE_URL, or none if discovery is configured and SNOWGAUGE_URL is not set. SNOWGAUGE_URL also replaces the url of a single target.',
      },
      z.prefault(targets, [defaultTarget]),
    ),
    discovery: setting(
      { description: 'Service discovery: nodes to poll in addition to targets. See docs/discovery.md.' },
      z.prefault(discovery, {}),
    ),
  })
  .check(
    rule((value, addIssue) => {
      const probesPort = valueAt(value, ['probes', 'port']);
      if (typeof probesPort === 'number' && probesPort !== 0 && probesPort === valueAt(value, ['listen', 'port']))
        addIssue(['probes', 'port'], 'is also the port of listen: choose another port, or remove probes');
    }),
    podLabelsRule,
    discoveryRule,
    maintenanceRule,
  );
