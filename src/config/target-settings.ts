// The table of target settings. Schema, types, defaults, JSON Schema, documentation and the effect of a reload follow from a row.

import * as z from 'zod/mini';
import { isNodeId, nodeIdPattern } from '../protocol/node-id.ts';
import { indexNames } from '../protocol/paths.ts';
import { byteSize, dnsLabel, durationPattern, goDuration, sizePattern, textThat, wholeNumber } from '../protocol/scalars.ts';
import { distinct } from '../yaml/rules.ts';
import { nodeUrl } from './fields.ts';
import { labels, labelsShape } from './labels.ts';
import {
  authorization,
  checkIntervals,
  headers,
  livenessSettings,
  readinessSettings,
  tagSets,
  tls,
  validatorSettings,
  wholeNode,
} from './parts.ts';
import { row, type TargetSettings } from './target-setting.ts';

export const targetSettings = {
  name: row('reset', { description: 'Name of the target: the label `target`, and a part of its probe paths.' }, dnsLabel),
  url: row(
    'reset',
    {
      description:
        'URL of the node, http or https. A path is allowed, such as the prefix of a proxy or the key of a provider, and is displayed as `/…`. Not allowed: a path of the API (/ext/health), user, password, query, fragment.',
    },
    nodeUrl,
  ),
  labels: row(
    'apply',
    {
      description:
        'Labels on every series of the target. At most 8, with values of at most 128 characters. Label names of snowgauge and Prometheus are reserved.',
      ...labelsShape,
    },
    z.prefault(labels, {}),
  ),
  healthCheckFrequency: row(
    'reset',
    {
      description: "The node's --health-check-frequency. Used until the check interval is inferred from its reports. 1s to 1h.",
      pattern: durationPattern,
    },
    z.prefault(goDuration('1s', '1h'), '30s'),
  ),
  timeout: row(
    'reconnect',
    {
      description:
        'Timeout of each request. 10ms to 1m, at most healthCheckFrequency. Default: 5s or healthCheckFrequency, whichever is shorter.',
      defaultText: '5s',
      pattern: durationPattern,
    },
    z.exactOptional(goDuration('10ms', '1m')),
  ),
  maxReportSize: row(
    'reconnect',
    {
      description:
        'Maximum size of a health report, decompressed; never more than maxBodySize. A report of a hundred checks is 60 KiB. 1KiB to 256MiB.',
      pattern: sizePattern,
    },
    z.prefault(byteSize('1KiB', '256MiB'), '512KiB'),
  ),
  maxBodySize: row(
    'reconnect',
    {
      description: 'Maximum size of every other response, decompressed. The largest block is 4 MiB as JSON. 1KiB to 256MiB.',
      pattern: sizePattern,
    },
    z.prefault(byteSize('1KiB', '256MiB'), '5MiB'),
  ),
  staleAfter: row(
    'apply',
    {
      description:
        'Check intervals after which the last response of the node is stale. At least one check interval plus the shorter of healthCheckFrequency and 1m, plus 1s: the next poll may take so long. 1 to 1000.',
    },
    z.prefault(checkIntervals(1000), 3),
  ),
  frozenAfter: row(
    'apply',
    {
      description:
        'Check intervals without a health check run after which health is frozen. Until the check interval is inferred, it counts as at least 5m; in a probe it is healthCheckFrequency. 2 to 1000.',
    },
    // Not 1: that limit would pass with each run, before the poll that sees the next one.
    z.prefault(wholeNumber(2, 1000), 3),
  ),
  tagSets: row(
    'adjust',
    {
      description:
        'Named sets of tags to request health for. `auto`, alone or in the list, adds one for each subnet whose chains the node reports; it is the default of discovered targets. If every tag set has tags, one named `all` is added for the whole node.',
    },
    tagSets([{ name: wholeNode }]),
  ),
  indexes: row(
    'adjust',
    {
      description:
        'Indexes to watch. `auto`: every index of the Primary Network that the node has ever served. `[]`: none. A watched index that is off fires an alert.',
    },
    z.prefault(
      z.union([z.enum(['auto'], 'must be auto, or a list such as [P/block]'), z.array(z.enum(indexNames)).check(distinct())]),
      'auto',
    ),
  ),
  info: row(
    'adjust',
    {
      description:
        'Request identity, version, network, upgrades and peers from /ext/info. A node that does not serve it is not an error.',
    },
    z.prefault(z.boolean('must be true or false'), true),
  ),
  validator: row(
    'adjust',
    { description: 'Validator data: uptime as seen by the network, staking period and L1 balances.' },
    z.prefault(validatorSettings, {}),
  ),
  nodeId: row(
    'apply',
    { description: 'Expected NodeID. Another one fires a critical alert.', pattern: nodeIdPattern },
    z.exactOptional(textThat(isNodeId, 'is not a NodeID: write it like NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg')),
  ),
  readiness: row('apply', { description: 'Readiness rules.' }, z.prefault(readinessSettings, {})),
  liveness: row('apply', { description: 'Liveness rules.' }, z.prefault(livenessSettings, {})),
  tls: row('reconnect', { description: 'TLS settings for an https url.' }, z.exactOptional(tls)),
  authorization: row(
    'reconnect',
    { description: 'The Authorization header, for a node behind a proxy.' },
    z.exactOptional(authorization),
  ),
  headers: row(
    'reconnect',
    {
      description:
        'Additional headers of every request. `Host` replaces the host of the url, also for TLS: the certificate must be for it.',
    },
    z.prefault(headers, {}),
  ),
} as const satisfies TargetSettings;
