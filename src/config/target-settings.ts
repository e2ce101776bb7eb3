// The table of a target's settings. Schema, types, defaults, JSON Schema, documentation and what a reload does follow from a row.

import * as z from 'zod/mini';
import { indexNames } from '../protocol/paths.ts';
import { byteSize, dnsLabel, durationPattern, goDuration, sizePattern } from '../protocol/scalars.ts';
import { distinct } from '../yaml/rules.ts';
import { nodeUrl } from './fields.ts';
import { labels, labelsShape } from './labels.ts';
import { authorization, checkIntervals, headers, liveness, readiness, tagSets, tls } from './parts.ts';
import { row, type TargetSettings } from './target-setting.ts';

export const targetSettings = {
  name: row('reset', { description: 'Name of the target: the label `target`, and a part of its probe paths.' }, dnsLabel),
  url: row(
    'reset',
    {
      description:
        'Where the node listens, http or https. May have a path, as behind a proxy, but none of the API (/ext/health), and no user, password, query or fragment.',
    },
    nodeUrl,
  ),
  labels: row(
    'apply',
    {
      description:
        'Labels on every series of the target, by name. At most 8, values of at most 128 characters; no label of the metrics of snowgauge or of Prometheus.',
      ...labelsShape,
    },
    z.prefault(labels, {}),
  ),
  healthCheckFrequency: row(
    'reset',
    {
      description: "The node's own --health-check-frequency. Followed until its reports show the real one. 1s to 1h.",
      pattern: durationPattern,
    },
    z.prefault(goDuration('1s', '1h'), '30s'),
  ),
  timeout: row(
    'reconnect',
    {
      description:
        'For each call. 10ms to 1m, and not above healthCheckFrequency; where that is shorter than 5s it is the default.',
      usually: '5s',
      pattern: durationPattern,
    },
    z.exactOptional(goDuration('10ms', '1m')),
  ),
  maxBodySize: row(
    'reconnect',
    { description: 'For each answer, decompressed. 1KiB to 256MiB.', pattern: sizePattern },
    z.prefault(byteSize('1KiB', '256MiB'), '8MiB'),
  ),
  staleAfter: row(
    'apply',
    { description: 'Check intervals after which the last answer of the node is no longer shown. 1 to 1000.' },
    z.prefault(checkIntervals(1000), 3),
  ),
  frozenAfter: row(
    'apply',
    { description: 'Check intervals without a health check run after which the health of the node counts as frozen. 1 to 1000.' },
    z.prefault(checkIntervals(1000), 3),
  ),
  tagSets: row(
    'adjust',
    {
      description:
        'Questions about health, each with tags of its own. The whole node is always one of them: where no tag set is without tags, one named `all` is put first.',
    },
    tagSets,
  ),
  indexes: row(
    'adjust',
    { description: 'Indexes to watch.' },
    z.prefault(z.array(z.enum(indexNames)).check(distinct()), ['P/block', 'X/block', 'C/block']),
  ),
  readiness: row('apply', { description: 'When the node counts as ready.' }, z.prefault(readiness, {})),
  liveness: row('apply', { description: 'When the node counts as dead.' }, z.prefault(liveness, {})),
  tls: row('reconnect', { description: 'For a node behind https.' }, z.exactOptional(tls)),
  authorization: row(
    'reconnect',
    { description: 'The Authorization header, for a node behind a proxy.' },
    z.exactOptional(authorization),
  ),
  headers: row(
    'reconnect',
    { description: 'Further headers of every call, by name. `Host` is sent in place of the host in the url.' },
    z.prefault(headers, {}),
  ),
} as const satisfies TargetSettings;
