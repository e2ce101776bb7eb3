// The findings of kube-score for all rendered manifests: each one is fixed, or accepted here with a reason.

import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { chart, type Ended, execute, helmTemplate, inFolder, root, withParent } from '../support/chart.ts';
import { describeWith } from '../support/tools.ts';

interface Settled {
  readonly check: string;
  /** Matches the title of a finding. */
  readonly of: RegExp;
  readonly why: string;
}

const ofTheNode = [
  ...['container-resources', 'container-security-context-readonlyrootfilesystem', 'container-security-context-user-group-id'],
  'statefulset-has-servicename',
].map((check) => ({
  check,
  of: /^example validator StatefulSet\/test-validator (?:node)?: (?!CPU limit)/,
  why: 'The chart of the node stands for the one that its user has: what is shown there is what to add to it.',
}));

const settled: readonly Settled[] = [
  ...ofTheNode,
  {
    check: 'container-resources',
    of: /: CPU limit is not set$/,
    why: 'It would throttle: probes and polls would come late, and late probes take a validator out of its Service. CPU is requested.',
  },
  {
    check: 'container-resources',
    of: /^fixture everything StatefulSet\/test-snowgauge proxy: /,
    why: 'A container of the user: its resources are theirs.',
  },
  {
    check: 'container-image-pull-policy',
    of: /ImagePullPolicy is not set to Always$/,
    why: 'A release never moves its tag, and a digest names one image. With Always no node starts while the registry is away.',
  },
  {
    check: 'container-ephemeral-storage-request-and-limit',
    of: /Ephemeral Storage (?:limit|request) is not set$/,
    why: 'The kubelet would evict the whole pod for it, and so the validator. The root is read-only; logs are all that is written.',
  },
  {
    check: 'pod-networkpolicy',
    of: / Pod\/\S+-test : /,
    why: '`helm test`: it asks once and is gone.',
  },
  {
    check: 'pod-networkpolicy',
    of: /^(?!fixture|example fleet)/,
    why: 'A policy cuts a pod off from all that it does not name, a validator from its peers: networkPolicy.enabled is a choice.',
  },
  {
    check: 'service-targets-pod',
    of: / Service\//,
    why: 'Its pods are made elsewhere (mode sidecar), or have the label while they are ready (kubernetes.podLabels).',
  },
  {
    check: 'service-type',
    of: /^fixture everything Service\/test-snowgauge : /,
    why: 'The user has asked for it.',
  },
  {
    check: 'statefulset-has-poddisruptionbudget',
    of: /^example demo-subnets StatefulSet\//,
    why: 'Its nodes are simulated: nobody loses anything.',
  },
  {
    check: 'statefulset-has-host-podantiaffinity',
    of: /^(?:example (?:demo-subnets|fleet-discovery)|fixture everything) StatefulSet\//,
    why: 'Simulated nodes may share a host; the others have topologySpreadConstraints, which kube-score does not count.',
  },
];

interface Finding {
  readonly check: string;
  readonly title: string;
}

const scored = z.array(
  z.object({
    type_meta: z.object({ kind: z.string() }),
    object_meta: z.object({ name: z.string() }),
    checks: z.array(
      z.object({
        check: z.object({ id: z.string() }),
        grade: z.number(),
        skipped: z.boolean(),
        comments: z.nullable(z.array(z.object({ path: z.string(), summary: z.string() }))),
      }),
    ),
  }),
);
const allOk = 10;

/** A title is `RENDERING KIND/NAME CONTAINER: message`. */
const findingsOf = async (score: string, rendering: string, made: Ended): Promise<readonly Finding[]> => {
  expect({ rendering, code: made.code, stderr: made.stderr }).toEqual({ rendering, code: 0, stderr: '' });
  const { stdout } = await inFolder(async (folder) => {
    const file = join(folder, 'objects.yaml');
    await writeFile(file, made.stdout);
    return execute(score, ['score', '--kubernetes-version', 'v1.34', '--output-format', 'json', file]);
  });
  return scored.parse(JSON.parse(stdout)).flatMap(({ type_meta: { kind }, object_meta: { name }, checks }) =>
    checks
      .filter(({ grade, skipped }) => grade < allOk && !skipped)
      .flatMap(({ check, comments }) =>
        (comments ?? []).map(({ path, summary }) => ({
          check: check.id,
          title: `${rendering} ${kind}/${name} ${path}: ${summary}`,
        })),
      ),
  );
};

const examples = readdirSync(join(chart, 'examples')).filter((name) => name.endsWith('.yaml'));
const overlays = readdirSync(join(root, 'deploy/kubernetes/overlays'));

describeWith(['helm', 'kustomize', 'kube-score'], 'kube-score', (helm = '', kustomize = '', score = '') => {
  let findings: readonly Finding[] = [];
  beforeAll(async () => {
    const values = ['fleet', 'demo', 'sidecar'].map((mode) => ({ name: `mode ${mode}`, values: { mode } }));
    const fleet = {
      name: 'highly available',
      values: { mode: 'fleet', highAvailability: true, podDisruptionBudget: { enabled: true } },
    };
    const files = [
      ...examples.map((name) => ({ name: `example ${name.replace('.yaml', '')}`, files: [join(chart, 'examples', name)] })),
      { name: 'fixture everything', files: [join(root, 'test/fixtures/chart/everything.yaml')] },
    ];
    for (const { name, ...rendering } of [...values, fleet, ...files]) {
      findings = [...findings, ...(await findingsOf(score, name, await helmTemplate(helm, rendering)))];
    }
    const ofParent = await withParent(helm, (parent) => helmTemplate(helm, { chart: parent }));
    findings = [...findings, ...(await findingsOf(score, 'example validator', ofParent))];
    for (const overlay of overlays) {
      const built = await execute(kustomize, ['build', join(root, 'deploy/kubernetes/overlays', overlay)]);
      findings = [...findings, ...(await findingsOf(score, `overlay ${overlay}`, built))];
    }
  });

  test('has no findings except the accepted ones', () => {
    const open = findings.filter(({ check, title }) => !settled.some((one) => one.check === check && one.of.test(title)));
    expect(open).toEqual([]);
  });

  test.each(settled)('still has the accepted finding $check: $why', ({ check, of }) => {
    expect(findings.some((finding) => finding.check === check && of.test(finding.title))).toBe(true);
  });

  test('reports a pod with findings', async () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'bad' },
      spec: { containers: [{ name: 'root', image: 'a:latest' }] },
    };
    const seen = await findingsOf(score, 'bad', { code: 0, stdout: JSON.stringify(pod), stderr: '' });
    const checks = seen.map(({ check }) => check);
    expect(checks).toEqual(expect.arrayContaining(['container-image-tag', 'container-security-context-user-group-id']));
  });
});
