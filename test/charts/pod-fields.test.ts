// Kubernetes fields that the chart passes through: validated as strictly as its own, with the path in the error.

import { expect, test } from 'vitest';
import { refusalOf, together } from '../support/chart.ts';
import { describeWith } from '../support/tools.ts';

const rows: readonly { readonly values: object; readonly said: string }[] = [
  { values: { resources: { limit: { memory: '1Gi' } } }, said: "at '/resources': additional properties 'limit' not allowed" },
  {
    values: { resources: { limits: { memroy: '1Gi' } } },
    said: "at '/resources/limits': additional properties 'memroy' not allowed",
  },
  { values: { resources: { limits: { memory: '96MiB' } } }, said: "at '/resources/limits/memory': '96MiB' does not match" },
  { values: { node: { resources: { request: {} } } }, said: "at '/node/resources': additional properties 'request'" },
  { values: { securityContext: { runAsNonRot: true } }, said: "at '/securityContext': additional properties 'runAsNonRot'" },
  { values: { podSecurityContext: { fsGroup: 'a' } }, said: "at '/podSecurityContext/fsGroup': got string, want integer" },
  { values: { tolerations: [{ kye: 'a' }] }, said: "at '/tolerations/0': additional properties 'kye'" },
  { values: { affinity: { podAntiAfinity: {} } }, said: "at '/affinity': additional properties 'podAntiAfinity'" },
  { values: { topologySpreadConstraints: [{ maxSkew: 1 }] }, said: "at '/topologySpreadConstraints/0': missing properties" },
  { values: { extraEnv: [{ nam: 'a' }] }, said: "at '/extraEnv/0'" },
  { values: { extraEnvFrom: [{ secret: {} }] }, said: "at '/extraEnvFrom/0': additional properties 'secret'" },
  {
    values: { extraVolumes: [{ name: 'a', secret: { name: 'a' } }] },
    said: "at '/extraVolumes/0/secret': additional properties 'name'",
  },
  { values: { extraVolumeMounts: [{ name: 'a', path: '/a' }] }, said: "at '/extraVolumeMounts/0'" },
  { values: { extraContainers: [{ name: 'a', imag: 'a' }] }, said: "at '/extraContainers/0': additional properties 'imag'" },
  {
    values: { hostAliases: [{ ip: '10.0.0.1', hostname: 'a' }] },
    said: "at '/hostAliases/0': additional properties 'hostname'",
  },
  { values: { dnsConfig: { nameserver: [] } }, said: "at '/dnsConfig': additional properties 'nameserver'" },
  { values: { stateVolume: { emptyDr: {} } }, said: "at '/stateVolume': additional properties 'emptyDr'" },
  { values: { imagePullSecrets: ['registry'] }, said: "at '/imagePullSecrets/0': got string, want object" },
  { values: { injection: { namespaceSelector: { labels: {} } } }, said: "at '/injection/namespaceSelector': additional" },
  { values: { networkPolicy: { dns: [{ ipblock: {} }] } }, said: "at '/networkPolicy/dns/0': additional properties 'ipblock'" },
  { values: { monitoring: { relabelings: [{ source: [] }] } }, said: "at '/monitoring/relabelings/0': additional properties" },
  { values: { monitoring: { tlsConfig: { skip: true } } }, said: "at '/monitoring/tlsConfig': additional properties" },
  { values: { monitoring: { basicAuth: { user: 'a' } } }, said: "at '/monitoring/basicAuth': additional properties" },
  { values: { httpRoute: { rules: [{ match: [] }] } }, said: "at '/httpRoute/rules/0': additional properties 'match'" },
  { values: { updateStrategy: { type: 'Rolling' } }, said: "at '/updateStrategy/type': value must be one of" },
  { values: { fullnameOverride: '007' }, said: "at '/fullnameOverride': '007' does not match" },
];

describeWith(['helm'], 'the chart rejects an unknown or invalid Kubernetes field', (helm = '') => {
  test.each(together(rows).map((group) => ({ group })))('in $group', async ({ group }) => {
    const said = await refusalOf(helm, group, { mode: 'demo' });
    for (const row of group) expect(said).toContain(row.said);
  });
});
