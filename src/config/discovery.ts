// Settings of service discovery. Each kind of source is a list, as in a scrape config of Prometheus.

import * as z from 'zod/mini';
import { dnsLabel, durationPattern, goDuration, textThat, wholeNumber } from '../protocol/scalars.ts';
import { valueAt } from '../yaml/path.ts';
import { distinct, rule, unshown } from '../yaml/rules.ts';
import { mappingSuchAs, path } from './fields.ts';
import { authorization, headers, tls } from './parts.ts';
import { relabelings } from './relabeling.ts';
import { type Immutable, setting } from './setting.ts';
import { template } from './target.ts';

const refreshInterval = (byDefault: string) =>
  setting(
    { description: 'Refresh interval. 1s to 1h.', pattern: durationPattern },
    z.prefault(goDuration('1s', '1h'), byDefault),
  );

const pattern = path.check(
  z.refine(
    (text) => /\.(?:json|ya?ml)$/.test(text) && !text.slice(0, text.lastIndexOf('/') + 1).includes('*'),
    'is not a path or a pattern of file_sd: end it with .json, .yml or .yaml, and use * only in the last part',
  ),
);

const file = z.strictObject(
  {
    files: setting(
      {
        description:
          'Files in the file_sd format of Prometheus, JSON or YAML, watched for changes. 1 to 100 paths that end in .json, .yml or .yaml. The last segment of a path may contain `*`.',
      },
      z.array(pattern).check(z.minLength(1), z.maxLength(100), distinct()),
    ),
    relabelings,
  },
  mappingSuchAs('{ files: [targets.json] }'),
);

const httpUrl = z.string().check(
  z.maxLength(2048),
  // No error shows the URL, because its query may contain a key.
  unshown((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isGood = /^https?:$/.test(url?.protocol ?? '') && url?.username === '' && url.password === '' && url.hash === '';
    return isGood ? undefined : 'is not a valid URL here: write http or https, without user, password and fragment';
  }),
);

const http = z.strictObject(
  {
    url: setting(
      { description: 'URL of a target list in the http_sd format of Prometheus. Redirects are not followed.' },
      httpUrl,
    ),
    refreshInterval: refreshInterval('1m'),
    timeout: setting(
      { description: 'Timeout of a request. 100ms to 1m.', pattern: durationPattern },
      z.prefault(goDuration('100ms', '1m'), '10s'),
    ),
    tls: setting({ description: 'TLS settings for an https url.' }, z.exactOptional(tls)),
    authorization: setting({ description: 'The Authorization header.' }, z.exactOptional(authorization)),
    headers: setting({ description: 'Additional request headers.' }, z.prefault(headers, {})),
    relabelings,
  },
  mappingSuchAs('{ url: https://inventory.example.com/nodes }'),
);

const dnsName = textThat((text) => /^[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9.])?$/.test(text), 'is not a DNS name');

const dns = z.strictObject(
  {
    names: setting(
      {
        description:
          '1 to 100 DNS names to query, such as that of a headless Service. The search list of /etc/resolv.conf applies.',
      },
      z.array(dnsName).check(z.minLength(1), z.maxLength(100), distinct()),
    ),
    type: setting({ description: 'Record type.' }, z.prefault(z.enum(['SRV', 'A', 'AAAA']), 'SRV')),
    port: setting({ description: 'Port of the targets, for A and AAAA records.' }, z.prefault(wholeNumber(1, 65_535), 9650)),
    refreshInterval: refreshInterval('30s'),
    relabelings,
  },
  mappingSuchAs('{ names: [nodes.example.com], type: A }'),
);

const namespace = textThat(
  (text) => z.safeParse(dnsLabel, text).success,
  'is not the name of a namespace: list each by its name, there is no wildcard',
);

const pods = z.strictObject(
  {
    namespaces: setting(
      {
        description:
          '1 to 100 namespaces to watch for pods that have the label `snowgauge.io/watch: "true"` or a container port 9650. Requires a Role in each namespace that allows get, list and watch on pods.',
      },
      z.array(namespace).check(z.minLength(1), z.maxLength(100), distinct()),
    ),
    relabelings,
  },
  mappingSuchAs('{ namespaces: [validators] }'),
);

/** Maximum number of sources of each kind. */
export const maxSources = 20;

const sourceLimit = z.maxLength(maxSources);

export const discovery = z.strictObject({
  maxTargets: setting(
    {
      description:
        'Maximum number of discovered targets, over all sources; with shards, per shard. Targets that are already watched take precedence. 1 to 10000.',
    },
    z.prefault(wholeNumber(1, 10_000), 1000),
  ),
  target: setting(
    { description: 'Settings of every discovered target, as in `targets[]`, except name, url and labels.' },
    z.prefault(template, {}),
  ),
  file: setting({ description: 'Lists in files. At most 20.' }, z.prefault(z.array(file).check(sourceLimit), [])),
  http: setting({ description: 'Lists at URLs. At most 20.' }, z.prefault(z.array(http).check(sourceLimit), [])),
  dns: setting({ description: 'DNS records. At most 20.' }, z.prefault(z.array(dns).check(sourceLimit), [])),
  kubernetes: setting({ description: 'Pods of Kubernetes. At most 20.' }, z.prefault(z.array(pods).check(sourceLimit), [])),
});

export type DiscoveryConfig = Immutable<z.output<typeof discovery>>;
export type FileConfig = DiscoveryConfig['file'][number];
export type HttpConfig = DiscoveryConfig['http'][number];
export type DnsConfig = DiscoveryConfig['dns'][number];
export type PodsConfig = DiscoveryConfig['kubernetes'][number];

export const discoveryKinds = ['file', 'http', 'dns', 'kubernetes'] as const;

/** Whether any source of discovery is configured. `config`: before or after parsing. */
export const discovers = (config: unknown): boolean =>
  discoveryKinds.some((kind) => {
    const list = valueAt(config, ['discovery', kind]);
    return Array.isArray(list) && list.length > 0;
  });

/** Whether /probe accepts any target: a process may serve only /probe. `config`: before parsing. */
const probes = (config: unknown): boolean => {
  const modules = valueAt(config, ['probe', 'modules']);
  const lists = [
    valueAt(config, ['probe', 'allow']),
    ...(Array.isArray(modules) ? modules.map((one) => valueAt(one, ['allow'])) : []),
  ];
  return lists.some((list) => Array.isArray(list) && list.length > 0);
};

/** Checks discovery against the rest of the configuration. */
export const discoveryRule = rule((value, addIssue) => {
  const hasSources = discovers(value);
  const targets = valueAt(value, ['targets']);
  if (Array.isArray(targets) && targets.length === 0 && !hasSources && !probes(value))
    addIssue(['targets'], 'must have at least 1 entry, unless discovery or probe.allow is configured');
  if (hasSources && valueAt(value, ['kubernetes', 'podLabels', 'enabled']) === true)
    addIssue(['kubernetes', 'podLabels', 'enabled'], 'requires exactly one target: remove discovery, or disable podLabels');
});
