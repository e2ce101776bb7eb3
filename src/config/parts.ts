// The settings of a target that are mappings or lists: tag sets, readiness, liveness, validator, TLS, authorization, headers.

import * as z from 'zod/mini';
import { isObject } from '../protocol/foreign-text.ts';
import { reasons } from '../protocol/reasons.ts';
import { headerNameFault } from '../protocol/request-headers.ts';
import { dnsLabel, wholeNumber } from '../protocol/scalars.ts';
import { valueAt } from '../yaml/path.ts';
import { distinct, rule } from '../yaml/rules.ts';
import { credentialsPath, headerValue, mappingSuchAs, name, path } from './fields.ts';
import { setting } from './setting.ts';

export const checkIntervals = (max: number) => wholeNumber(1, max);

/** Stands for one tag set per subnet of the node, in the list of tag sets or instead of it. */
export const auto = 'auto';

/** The error for `auto` where it is not allowed. Where it is allowed, it is matched before this schema. */
const withoutAuto = {
  error: ({ code, input }: z.core.$ZodRawIssue) =>
    code === 'invalid_type' && input === auto
      ? 'requires a watched target, because it takes more than one poll: list the tag sets of the module, such as [{ name: my-l1, tags: [TAG] }]'
      : undefined,
};

const tagSet = z.strictObject(
  {
    name: setting(
      { description: 'Name of the tag set: the label `tag_set`, and the last part of its readiness path.' },
      dnsLabel,
    ),
    tags: setting(
      { description: 'Tags of the health request, such as subnet ids. Empty for the whole node.' },
      z.prefault(z.array(name).check(z.maxLength(16), distinct()), []),
    ),
  },
  withoutAuto,
);

/** The name of the tag set for the whole node if none is configured. */
export const wholeNode = 'all';

const notWholeNode = rule<readonly unknown[]>((sets, addIssue) => {
  if (!Array.isArray(sets)) return;
  sets.forEach((set: unknown, at) => {
    const tags = valueAt(set, ['tags']);
    if (valueAt(set, ['name']) === wholeNode && Array.isArray(tags) && tags.length > 0)
      addIssue([at, 'name'], 'is reserved for the whole node: remove its tags, or rename the tag set');
  });
});

/** A list without `auto`. */
export const writtenTagSets = z.prefault(z.array(tagSet, withoutAuto).check(z.maxLength(100), distinct('name'), notWholeNode), [
  { name: wholeNode },
]);

const listOrAuto = z
  .union([
    z.literal(auto, 'must be auto, or a list such as [auto, { name: my-l1, tags: [TAG] }]'),
    z
      .array(z.union([z.literal(auto, 'must be auto, or a mapping with a name and tags'), tagSet]))
      .check(distinct(), distinct('name'), notWholeNode),
  ])
  .check(
    rule((list, addIssue) => {
      if (Array.isArray(list) && list.length > 100) addIssue([], 'must have at most 100 entries');
    }),
  );

/** A list with or without `auto`, or `auto` alone. The tag sets of the subnets are added after polls, behind the written ones. */
export const tagSets = (byDefault: z.input<typeof listOrAuto>) =>
  z.prefault(
    z.pipe(
      listOrAuto,
      z.transform((given) => {
        const list = given === auto ? [auto] : given;
        return {
          isAuto: list.some((one) => one === auto),
          written: list.flatMap((one) => (typeof one === 'string' ? [] : one)),
        };
      }),
    ),
    byDefault,
  );

export const readinessSettings = z.strictObject({
  ignoreChecks: setting(
    { description: 'Checks whose failure does not make the node unready.' },
    z.prefault(z.array(name).check(z.maxLength(100), distinct()), []),
  ),
  ignoreReasons: setting(
    { description: 'Failure reasons that do not make the node unready. Default: reasons that affect the whole network.' },
    z.prefault(z.array(z.enum(reasons)).check(distinct()), ['block-processing', 'stake-disconnected']),
  ),
  failAfter: setting(
    { description: 'Failed health check runs, or failed polls, in a row until the node is unready. 1 to 1000.' },
    z.prefault(wholeNumber(1, 1000), 2),
  ),
  passAfter: setting(
    { description: 'Passed health check runs in a row until the node is ready. 1 to 1000.' },
    z.prefault(wholeNumber(1, 1000), 1),
  ),
});

export const livenessSettings = z.strictObject({
  unresponsiveAfter: setting(
    { description: 'Check intervals without a response, all requests timing out, after which the node is not live. 1 to 10000.' },
    z.prefault(checkIntervals(10_000), 20),
  ),
  frozenAfter: setting(
    { description: 'Check intervals without a health check run after which the node is not live. 1 to 10000.' },
    z.prefault(checkIntervals(10_000), 20),
  ),
});

export const validatorSettings = z.strictObject(
  {
    enabled: setting(
      {
        description:
          'Request uptime and staking period from /ext/info and /ext/bc/P, also for the subnets whose ids are tags of its tag sets (at most 50, 16 of them in each poll; /probe requests only the first 16), and what the node observed of at most 20 other targets of its network. A node that does not serve them is not an error.',
      },
      z.prefault(z.boolean('must be true or false'), true),
    ),
    expected: setting(
      { description: 'Whether the node is expected to be a validator of the Primary Network. If it is not, an alert fires.' },
      z.prefault(z.boolean('must be true or false'), false),
    ),
    uptimeRequirement: setting(
      {
        description:
          'Uptime required for the reward, as a fraction from 0.01 to 1. Default: 0.8, and 0.9 for staking periods that begin after the Helicon upgrade.',
      },
      z.exactOptional(
        z
          .number('must be a fraction, such as 0.8')
          .check(
            z.minimum(0.01, 'must be a fraction from 0.01 to 1'),
            z.maximum(1, 'must be a fraction from 0.01 to 1: write 0.8, not 80'),
          ),
      ),
    ),
  },
  mappingSuchAs('{ expected: true }'),
);

export const tls = z
  .strictObject({
    caFile: setting(
      { description: 'PEM file of the certificate authorities to trust, instead of those of Node.js.' },
      z.exactOptional(path),
    ),
    certFile: setting({ description: 'PEM file of a client certificate. Requires keyFile.' }, z.exactOptional(path)),
    keyFile: setting({ description: "PEM file of the client certificate's key. Requires certFile." }, z.exactOptional(path)),
  })
  .check(
    rule((value, addIssue) => {
      const cert = valueAt(value, ['certFile']) !== undefined;
      if (cert !== (valueAt(value, ['keyFile']) !== undefined))
        addIssue([], `has ${cert ? 'a certFile without a keyFile' : 'a keyFile without a certFile'}: give both or neither`);
    }),
  );

export const authorization = z.strictObject(
  {
    type: setting(
      { description: 'Authentication scheme: `Bearer` for a token, `Basic` for `user:password`.' },
      z.prefault(z.enum(['Bearer', 'Basic']), 'Bearer'),
    ),
    credentialsFile: setting(
      { description: 'File with the credential: a token, or `user:password`. Reloaded when it changes.' },
      credentialsPath,
    ),
  },
  mappingSuchAs('{ credentialsFile: ./token }'),
);

export const headers = z.record(z.string(), headerValue).check(
  rule((value, addIssue) => {
    if (!isObject(value)) return;
    const seen = new Set<string>();
    for (const header of Object.keys(value)) {
      const fault = seen.has(header.toLowerCase())
        ? 'is a duplicate: header names are case-insensitive'
        : headerNameFault(header);
      if (fault !== undefined) addIssue([header], fault, 'key');
      seen.add(header.toLowerCase());
    }
    if (seen.size > 64) addIssue([], 'must have at most 64 entries');
  }),
);
