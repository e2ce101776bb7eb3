// Settings for running in a Kubernetes pod: its name, mounted folders, and the labels on the pod.

import * as z from 'zod/mini';
import { dnsLabel, durationPattern, goDuration, isObjectName, textThat } from '../protocol/scalars.ts';
import { valueAt } from '../yaml/path.ts';
import { rule } from '../yaml/rules.ts';
import { name, path } from './fields.ts';
import { setting } from './setting.ts';

const podName = textThat(isObjectName, 'is not the name of a pod: take metadata.name from the downward API');

const podLabels = z.strictObject({
  enabled: setting(
    {
      description:
        'Keep `ready.snowgauge.io/TAGSET: "true"|"false"` on the pod, so that a Service can select the pods that are ready for one subnet. Requires podName, podNamespace, exactly one target, and a Role that allows `patch` on `pods/status`. See docs/pod-labels.md.',
    },
    z.prefault(z.boolean(), false),
  ),
  onShutdown: setting(
    {
      description: 'What to do with the labels on shutdown: `clear` removes them, `keep` leaves them unchanged.',
    },
    z.prefault(z.enum(['clear', 'keep']), 'clear'),
  ),
  confirmEvery: setting(
    {
      description:
        'How often to renew the annotation `ready.snowgauge.io/confirmed-at` while no label changes. 10s to 1h. Labels are stale once the annotation is older than three of these intervals.',
      pattern: durationPattern,
    },
    z.prefault(goDuration('10s', '1h'), '1m'),
  ),
});

export const kubernetes = z.strictObject({
  podName: setting(
    { description: 'Name of the snowgauge pod, from the downward API (metadata.name).' },
    z.exactOptional(podName),
  ),
  podNamespace: setting(
    { description: 'Namespace of the snowgauge pod, from the downward API (metadata.namespace).' },
    z.exactOptional(dnsLabel),
  ),
  injectionRevision: setting(
    { description: 'Revision of the policy that injected this sidecar. Set by the chart.' },
    z.exactOptional(name),
  ),
  injectionRevisionFile: setting(
    { description: 'File with the current revision of that policy. See docs/kubernetes.md.' },
    z.prefault(path, '/etc/snowgauge-injection/revision'),
  ),
  podInfoDir: setting(
    {
      description:
        'Directory of a downward API volume with the annotations of the pod that open a maintenance window, as `maintenance-until` and `maintenance-reason`. See docs/maintenance.md.',
    },
    z.prefault(path, '/etc/snowgauge-pod'),
  ),
  serviceAccountDir: setting(
    { description: "Directory with the service account's `token` and `ca.crt`, reloaded when they change." },
    z.prefault(path, '/var/run/secrets/kubernetes.io/serviceaccount'),
  ),
  podLabels: setting({ description: 'Labels on the snowgauge pod.' }, z.prefault(podLabels, {})),
});

/** Checks that the configuration has what podLabels require. */
export const podLabelsRule = rule((value, addIssue) => {
  const at = ['kubernetes', 'podLabels', 'enabled'] as const;
  if (valueAt(value, at) !== true) return;
  const needs = {
    podName: ['SNOWGAUGE_POD_NAME', 'metadata.name'],
    podNamespace: ['SNOWGAUGE_POD_NAMESPACE', 'metadata.namespace'],
  };
  for (const [name, [variable, field]] of Object.entries(needs)) {
    if (valueAt(value, ['kubernetes', name]) === undefined)
      addIssue(at, `needs kubernetes.${name}: set the variable ${variable} from the downward API (${field})`);
  }
  const targets = valueAt(value, ['targets']);
  if (Array.isArray(targets) && targets.length !== 1)
    addIssue(at, 'requires exactly one target, the node in its pod: remove the others, or disable podLabels');
});
