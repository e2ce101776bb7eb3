// One target: a node to be polled. Its schema, the rules between its settings, and what they become.

import * as z from 'zod/mini';
import { indexNames } from '../protocol/paths.ts';
import { byteSize, dnsLabel, durationPattern, goDuration, sizePattern } from '../protocol/scalars.ts';
import { valueAt } from '../yaml/path.ts';
import { distinct, rule } from '../yaml/rules.ts';
import { nodeUrl } from './fields.ts';
import { authorization, cadences, headers, liveness, readiness, tagSets, tls, untagged } from './parts.ts';
import { setting } from './setting.ts';
import type { TargetConfig } from './types.ts';

const defaultTimeout = 5;

const settings = z
  .strictObject({
    name: setting({ description: 'Name of the target: the label `target`, and a part of its probe paths.' }, dnsLabel),
    url: setting(
      {
        description:
          'Where the node serves its API, http or https. May have a path, as behind a proxy, but no user, password, query or fragment.',
      },
      nodeUrl,
    ),
    healthCheckFrequency: setting(
      {
        description: "The node's own --health-check-frequency. Followed until its reports tell the real one. 1s to 1h.",
        pattern: durationPattern,
      },
      z.prefault(goDuration('1s', '1h'), '30s'),
    ),
    timeout: setting(
      {
        description:
          'For each call. 10ms to 1m, and not above healthCheckFrequency; where that is shorter than 5s it is the default.',
        usually: '5s',
        pattern: durationPattern,
      },
      z.exactOptional(goDuration('10ms', '1m')),
    ),
    maxBodySize: setting(
      { description: 'For each answer, decompressed. 1KiB to 256MiB.', pattern: sizePattern },
      z.prefault(byteSize('1KiB', '256MiB'), '8MiB'),
    ),
    staleAfter: setting(
      { description: 'Cadences after which what the node said is no longer shown. 1 to 1000.' },
      z.prefault(cadences(1000), 3),
    ),
    frozenAfter: setting(
      { description: "Cadences without a new round of checks after which the node's health counts as frozen. 1 to 1000." },
      z.prefault(cadences(1000), 3),
    ),
    tagSets,
    indexes: setting(
      { description: 'Indexes to watch.' },
      z.prefault(z.array(z.enum(indexNames)).check(distinct()), ['P/block', 'X/block', 'C/block']),
    ),
    readiness: setting({ description: 'When the node counts as ready.' }, z.prefault(readiness, {})),
    liveness: setting({ description: 'When the node counts as dead.' }, z.prefault(liveness, {})),
    tls: setting({ description: 'For a node behind https.' }, z.exactOptional(tls)),
    authorization: setting(
      { description: 'The Authorization header, for a node behind a proxy.' },
      z.exactOptional(authorization),
    ),
    headers: setting(
      { description: 'Further headers of every call, by name. `Host` is sent in place of the host in the url.' },
      z.prefault(headers, {}),
    ),
  })
  .check(
    rule((value, complain) => {
      const timeout = valueAt(value, ['timeout']);
      const frequency = valueAt(value, ['healthCheckFrequency']);
      if (typeof timeout === 'number' && typeof frequency === 'number' && timeout > frequency)
        complain(['timeout'], 'is longer than healthCheckFrequency: a round of polls must end before the next begins');
      const url = valueAt(value, ['url']);
      if (valueAt(value, ['tls']) !== undefined && typeof url === 'string' && /^http:/i.test(url))
        complain(['tls'], 'has no effect, because the url begins with http: write https, or leave tls out');
    }),
  );

type Settings = z.output<typeof settings>;

const toTarget = (given: Settings): TargetConfig => {
  const { name, url, healthCheckFrequency, staleAfter, indexes, frozenAfter, readiness, liveness } = given;
  const hasUntagged = given.tagSets.some(({ tags }) => tags.length === 0);
  const timeout = given.timeout ?? Math.min(defaultTimeout, healthCheckFrequency);
  return {
    options: {
      name,
      url,
      healthCheckFrequency,
      tagSets: hasUntagged ? given.tagSets : [{ name: untagged, tags: [] }, ...given.tagSets],
      indexes,
      staleAfter,
      frozenAfter,
      readiness,
      liveness,
    },
    client: {
      baseUrl: url,
      timeoutMs: Math.max(1, Math.round(timeout * 1000)),
      maxBodyBytes: given.maxBodySize,
      headers: given.headers,
      ...(given.tls !== undefined && { tls: given.tls }),
      ...(given.authorization !== undefined && { authorization: given.authorization }),
    },
  };
};

export const targets = z.pipe(
  z.array(settings).check(z.minLength(1), z.maxLength(1000), distinct('name')),
  z.transform((given) => given.map(toTarget)),
);
