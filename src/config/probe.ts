// Settings of /probe: which targets it accepts, and how each module polls them.

import * as z from 'zod/mini';
import { neverReached } from '../probe/networks.ts';
import { isObject } from '../protocol/foreign-text.ts';
import { byteSize, dnsLabel, durationPattern, goDuration, sizePattern, wholeNumber } from '../protocol/scalars.ts';
import { valueAt } from '../yaml/path.ts';
import { distinct, rule } from '../yaml/rules.ts';
import { cidrFault, hostPattern, mappingSuchAs, textWithout } from './fields.ts';
import { readinessSettings, writtenTagSets } from './parts.ts';
import { setting } from './setting.ts';
import { moduleTarget } from './target.ts';
import { schemasOf } from './target-setting.ts';
import { targetSettings } from './target-settings.ts';

/** The default HTTP port of a node. */
const nodePort = 9650;

/** A network that is never probed is an error: otherwise, the operator would look for a fault of the network. */
const probedCidr = textWithout((text) => cidrFault(text) ?? neverReached(text));

const allowed = z
  .strictObject(
    {
      host: setting(
        {
          description:
            'Host name: a name, `*.example.com` for its subdomains, or `*`. With a cidr, the name must resolve into that network; without one, it must not resolve to the loopback.',
        },
        z.exactOptional(hostPattern('node.example.com', '; use cidr for addresses')),
      ),
      cidr: setting(
        { description: 'Network that the address must be in. Without a host, for targets given as an IP address.' },
        z.exactOptional(probedCidr),
      ),
      ports: setting(
        { description: 'Ports.' },
        z.prefault(z.array(wholeNumber(1, 65_535)).check(z.minLength(1), z.maxLength(100), distinct()), [nodePort]),
      ),
    },
    mappingSuchAs('{ cidr: 10.0.0.0/8 }'),
  )
  .check(
    rule((value, addIssue) => {
      if (!isObject(value) || valueAt(value, ['cidr']) !== undefined) return;
      const host = valueAt(value, ['host']);
      if (host === undefined) addIssue([], 'allows nothing: give it a host, a cidr or both');
      // RFC 6761: localhost is the loopback, which is allowed only with a cidr.
      if (typeof host === 'string' && host.toLowerCase() === 'localhost')
        addIssue(['host'], 'allows nothing without a cidr, because localhost is the loopback: add cidr: 127.0.0.1/32');
    }),
  );

const allow = z.array(allowed).check(z.maxLength(1000));

const { healthCheckFrequency, timeout, maxReportSize, frozenAfter, indexes, tls, authorization, headers } =
  schemasOf(targetSettings);
const { ignoreChecks, ignoreReasons } = readinessSettings.shape;

/** The module for probes without the parameter `module`. A module with this name in the file replaces the built-in one. */
const defaultModule = 'default';

const moduleSettings = z.strictObject({
  name: setting(
    { description: 'Name of the module, as in the parameter `module`. `default` is used without that parameter.' },
    dnsLabel,
  ),
  scheme: setting(
    { description: 'Scheme of targets given without one, such as 10.0.0.5:9650: `http` or `https`.' },
    z.prefault(z.enum(['http', 'https']), 'http'),
  ),
  allow: setting(
    { description: 'Targets that this module accepts, instead of probe.allow. For a module with credentials.' },
    z.exactOptional(allow),
  ),
  healthCheckFrequency,
  timeout,
  maxReportSize,
  maxBodySize: setting(
    { description: 'Maximum size of every other response, decompressed. 1KiB to 256MiB.', pattern: sizePattern },
    z.prefault(byteSize('1KiB', '256MiB'), '5MiB'),
  ),
  frozenAfter,
  tagSets: setting(
    {
      description:
        'Named sets of tags to request health for, as in targets[]. `auto` is not supported, because it takes more than one poll.',
    },
    writtenTagSets,
  ),
  indexes,
  readiness: setting(
    { description: 'Readiness rules. A single probe decides, whatever failAfter and passAfter.' },
    z.prefault(z.strictObject({ ignoreChecks, ignoreReasons }), {}),
  ),
  tls,
  authorization,
  headers,
});

const modules = z.pipe(
  z.array(moduleSettings).check(z.maxLength(100), distinct('name')),
  z.transform((given) => {
    const builtIn = given.some(({ name }) => name === defaultModule) ? [] : [z.parse(moduleSettings, { name: defaultModule })];
    return [...builtIn, ...given].map(({ name, scheme, allow, readiness, tagSets: written, ...settings }) => ({
      name,
      scheme,
      ...(allow && { allow }),
      target: moduleTarget({
        ...settings,
        tagSets: { isAuto: false, written },
        readiness: { ...readiness, failAfter: 1, passAfter: 1 },
      }),
    }));
  }),
);

export const probeSettings = z.strictObject({
  allow: setting(
    {
      description: 'Targets that /probe accepts. Empty: none. An entry needs a host, a cidr or both. See docs/probe.md.',
    },
    z.prefault(allow, []),
  ),
  modules: setting(
    { description: 'Modules: how targets are polled. Default: one named `default`, with default settings.' },
    z.prefault(modules, []),
  ),
  maxConcurrent: setting(
    {
      description:
        'Maximum number of concurrent probes, at most half of them for one client address. Further probes get 503. 1 to 1000.',
    },
    z.prefault(wholeNumber(1, 1000), 100),
  ),
  timeoutOffset: setting(
    {
      description: 'Subtracted from the scrape timeout of Prometheus, so that the response arrives in time. 0s to 10s.',
      pattern: durationPattern,
    },
    z.prefault(goDuration('0s', '10s'), '500ms'),
  ),
});
