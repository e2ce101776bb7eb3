// The schema of a web configuration file in the format of Prometheus's exporter-toolkit: all its keys, and error messages for invalid
// values.

import * as z from 'zod/mini';
import { headerValueFault } from '../../protocol/request-headers.ts';
import { goDuration, wholeNumber } from '../../protocol/scalars.ts';
import { valueAt } from '../../yaml/path.ts';
import { rule, unshown } from '../../yaml/rules.ts';
import { cipherSuites, curves, requiredByHttp2, tlsVersions } from './go-names.ts';

const namesOf = <T extends object>(table: T) => Object.keys(table) as (keyof T & string)[];

const clientAuthTypes = [
  'NoClientCert',
  'RequestClientCert',
  'RequireAnyClientCert',
  // The former name of RequireAnyClientCert.
  'RequireClientCert',
  'VerifyClientCertIfGiven',
  'RequireAndVerifyClientCert',
] as const;

/** As in exporter-toolkit, an empty text is the default, like an empty path: templates write it for what is not set. */
const clientAuthType = z.pipe(
  z.transform((given) => (given === '' ? undefined : given)),
  z.optional(z.enum(clientAuthTypes)),
);

const text = z.exactOptional(z.string());

/** The most common mistake is the PEM itself instead of its file. */
const file = z.exactOptional(z.string().check(z.refine((path) => !/[\r\n]|-----BEGIN/.test(path), 'is not the path of a file')));

const tls = z.strictObject({
  cert: text,
  key: text,
  client_ca: text,
  cert_file: file,
  key_file: file,
  client_ca_file: file,
  client_auth_type: z.exactOptional(clientAuthType),
  client_allowed_sans: z.exactOptional(z.array(z.string()).check(z.minLength(1))),
  min_version: z.prefault(z.enum(namesOf(tlsVersions)), 'TLS12'),
  max_version: z.prefault(z.enum(namesOf(tlsVersions)), 'TLS13'),
  cipher_suites: z.prefault(z.array(z.enum(namesOf(cipherSuites))), []),
  prefer_server_cipher_suites: z.prefault(z.boolean(), true),
  curve_preferences: z.prefault(z.array(z.enum(namesOf(curves))), []),
});

export type TlsSettings = z.output<typeof tls>;

const headerText = z.string().check(unshown(headerValueFault));

const headers = z.strictObject({
  'Strict-Transport-Security': z.exactOptional(headerText),
  'X-Content-Type-Options': z.exactOptional(z.enum(['nosniff'])),
  'X-Frame-Options': z.exactOptional(z.enum(['deny', 'sameorigin'])),
  'X-XSS-Protection': z.exactOptional(headerText),
  'Content-Security-Policy': z.exactOptional(headerText),
});

/** If somebody writes the password instead of its hash, it must not appear in the log. */
const bcryptHash = z.string().check(
  unshown((hash) => {
    const [, cost] = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash) ?? [];
    const isHash = cost !== undefined && Number(cost) >= 4 && Number(cost) <= 31;
    return isHash ? undefined : 'is not a bcrypt hash: write what `htpasswd -nBC 10 ""` prints after the colon';
  }),
);

const rateLimit = z.strictObject({
  interval: z.prefault(z.union([z.literal(0), goDuration('0s', '24h')], 'is not a duration: write it like 1s or 100ms'), 0),
  burst: z.prefault(wholeNumber(0, 1_000_000), 0),
});

export const webSchema = z
  .strictObject({
    tls_server_config: z.exactOptional(tls),
    http_server_config: z.prefault(
      z.strictObject({ http2: z.prefault(z.boolean(), true), headers: z.prefault(headers, {}) }),
      {},
    ),
    basic_auth_users: z.prefault(z.record(z.string(), bcryptHash), {}),
    rate_limit: z.exactOptional(rateLimit),
  })
  .check(
    rule((value, addIssue) => {
      const has = (name: string): boolean => (valueAt(value, ['tls_server_config', name]) ?? '') !== '';
      const at = ['tls_server_config'] as const;
      if (isEnabled(has)) {
        for (const name of ['cert', 'key'])
          if (!has(name) && !has(`${name}_file`)) addIssue(at, `needs ${name}_file or ${name}: TLS is set up here`);
        const type = valueAt(value, [...at, 'client_auth_type']) ?? 'NoClientCert';
        if ((has('client_ca') || has('client_ca_file')) && type === 'NoClientCert')
          addIssue([...at, 'client_auth_type'], 'must be set where client_ca is: write RequireAndVerifyClientCert');
        const versions: readonly unknown[] = namesOf(tlsVersions);
        const rankOf = (name: string): number => versions.indexOf(valueAt(value, [...at, name]));
        if (rankOf('max_version') >= 0 && rankOf('min_version') > rankOf('max_version'))
          addIssue([...at, 'min_version'], 'is above max_version: no client could connect');
        const suites = valueAt(value, [...at, 'cipher_suites']);
        const isHttp2 = valueAt(value, ['http_server_config', 'http2']) !== false;
        const speaks12 = valueAt(value, [...at, 'min_version']) !== 'TLS13';
        if (isHttp2 && speaks12 && Array.isArray(suites) && suites.length > 0 && !suites.some((one) => requiredByHttp2.has(one)))
          addIssue(
            [...at, 'cipher_suites'],
            `lacks what HTTP/2 requires: add ${[...requiredByHttp2].join(' or ')}, or set http_server_config.http2 to false`,
          );
      }
      const sans = valueAt(value, [...at, 'client_allowed_sans']);
      const clientType = clientAuthTypes.find((one) => one === valueAt(value, [...at, 'client_auth_type']));
      if (Array.isArray(sans) && sans.length > 0 && !(clientType?.startsWith('Require') ?? false))
        addIssue(
          [...at, 'client_allowed_sans'],
          'lets in clients without a certificate: set client_auth_type to RequireAndVerifyClientCert',
        );
      const interval = valueAt(value, ['rate_limit', 'interval']) ?? 0;
      if (interval !== 0 && interval !== '0s' && (valueAt(value, ['rate_limit', 'burst']) ?? 0) === 0)
        addIssue(['rate_limit', 'burst'], 'is 0, which rejects every request: write 1 or more');
    }),
  );

export type WebFile = z.output<typeof webSchema>;

/** Each of these keys enables TLS, as in exporter-toolkit. */
const enabling = ['cert', 'cert_file', 'key', 'key_file', 'client_ca', 'client_ca_file', 'client_auth_type'];
const isEnabled = (has: (name: string) => boolean): boolean => enabling.some(has);

/** The TLS settings; undefined if the file does not enable TLS. */
export const tlsOf = ({ tls_server_config: given }: WebFile): TlsSettings | undefined =>
  given !== undefined && isEnabled((name) => (valueAt(given, [name]) ?? '') !== '') ? given : undefined;
