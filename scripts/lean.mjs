// What libraries bring along and nothing here uses, kept out of the bundle: it would cost every sidecar memory and time at its
// start. docs/footprint.md says how much. An update of a library that moves what is named here fails the build.

import { readFile } from 'node:fs/promises';
import { sep } from 'node:path';

/** @typedef {{ file: string, contents: string }} Replacement a whole file, by the end of its path */
/** @typedef {{ file: string, from: string, to: string }} Change one place in a file */

const missing = (/** @type {string} */ what) => `throw new Error(${JSON.stringify(`${what} is not in this bundle`)});`;

const absent = (/** @type {string} */ name) => `export class ${name} { constructor() { ${missing(name)} } }`;
const noLogin = (/** @type {string} */ name) => `export class ${name} { isAuthProvider() { return false; } }`;

/** @type {readonly Replacement[]} */
const replacements = [
  // Fifty translations of messages: commands are loaded when asked for, and esbuild cannot shake what is loaded late.
  { file: 'zod/v4/locales/index.js', contents: "export { default as en } from './en.js';" },
  // What got can do and client/transport.ts does not ask for: HTTP/2, a cache of answers, a cache of names, forms.
  { file: 'http2-wrapper/source/index.js', contents: `exports.auto = () => { ${missing('HTTP/2')} };` },
  {
    file: 'cacheable-request/dist/index.js',
    contents: `export default class { constructor() { ${missing('a cache of answers')} } }\nexport class CacheError extends Error {}`,
  },
  {
    file: 'cacheable-lookup/source/index.js',
    contents: `export default class { constructor() { ${missing('a cache of names')} } }`,
  },
  {
    file: 'form-data-encoder/lib/index.js',
    contents: `export const isFormData = () => false;\nexport class FormDataEncoder { constructor() { ${missing('a form')} } }`,
  },
  // Exemplars of prom-client's own CPU counters, which are off.
  { file: '@opentelemetry/api/dist/index.cjs', contents: '' },
  // pino's transports: a worker thread that writes the log. Ours is written where it arises.
  { file: 'thread-stream/index.js', contents: `module.exports = class { constructor() { ${missing('a log transport')} } };` },
  // Of the client of Kubernetes kubernetes/api.ts takes what makes a connection out of a service account. The rest is two thousand
  // models, a kubeconfig's YAML, proxies, and ways to log in that no pod has.
  {
    file: '@kubernetes/client-node/dist/gen/index.js',
    contents: `${absent('ServerConfiguration')}\nexport const createConfiguration = () => new ServerConfiguration();`,
  },
  { file: '@kubernetes/client-node/dist/azure_auth.js', contents: noLogin('AzureAuth') },
  { file: '@kubernetes/client-node/dist/gcp_auth.js', contents: noLogin('GoogleCloudPlatformAuth') },
  { file: '@kubernetes/client-node/dist/exec_auth.js', contents: noLogin('ExecAuth') },
  { file: '@kubernetes/client-node/dist/oidc_auth.js', contents: noLogin('OpenIDConnectAuth') },
  { file: 'js-yaml/dist/js-yaml.mjs', contents: 'export default {};' },
  { file: 'node-fetch/lib/index.js', contents: 'exports.Headers = class {};' },
  { file: 'hpagent/index.mjs', contents: `${absent('HttpProxyAgent')}\n${absent('HttpsProxyAgent')}` },
  { file: 'socks-proxy-agent/dist/index.js', contents: absent('SocksProxyAgent') },
];

/**
 * A list or a time in words of a language maps 5 MB of ICU's tables into memory. The one stands in texts of errors, the other is
 * worked out by node-cron at every beat, to hand it to a callback that does not look: a heartbeat is every second in any zone.
 * @type {readonly Change[]}
 */
const changes = [
  {
    file: '@sindresorhus/is/distribution/index.js',
    from: "new Intl.ListFormat('en', { style: 'long', type: 'conjunction' })",
    to: "{ format: (names) => names.join(' and ') }",
  },
  {
    file: '@sindresorhus/is/distribution/index.js',
    from: "new Intl.ListFormat('en', { style: 'long', type: 'disjunction' })",
    to: "{ format: (names) => names.join(' or ') }",
  },
  {
    file: 'node-cron/dist/_shared.js',
    from: 'function buildDateParts(date, timezone) {',
    to: `function buildDateParts(date, timezone) {
    if (!timezone) return {
        day: date.getUTCDate(), month: date.getUTCMonth() + 1, year: date.getUTCFullYear(),
        hour: date.getUTCHours(), minute: date.getUTCMinutes(), second: date.getUTCSeconds(), millisecond: date.getUTCMilliseconds(),
        weekday: ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][date.getUTCDay()], gmt: 'Z',
    };`,
  },
  {
    file: 'node-cron/dist/_shared.js',
    from: 'function getTimezoneGMT(date, timezone) {',
    to: "function getTimezoneGMT(date, timezone) {\n    if (!timezone) return 'Z';",
  },
];

/** @param {string} path */
const named =
  (path) =>
  (/** @type {{ file: string }} */ { file }) =>
    path.split(sep).join('/').endsWith(`node_modules/${file}`);

/**
 * @type {import('esbuild').Plugin}
 */
export const lean = {
  name: 'lean',
  setup({ onEnd, onLoad, onResolve }) {
    /** @type {Set<object>} */
    const met = new Set();
    onLoad({ filter: /[\\/]node_modules[\\/]/ }, async ({ path }) => {
      const replacement = replacements.find(named(path));
      if (replacement) {
        met.add(replacement);
        return { contents: replacement.contents };
      }
      const here = changes.filter(named(path));
      if (here.length === 0) return undefined;
      let contents = await readFile(path, 'utf8');
      for (const change of here) {
        if (contents.includes(change.from)) met.add(change);
        contents = contents.replace(change.from, () => change.to);
      }
      return { contents };
    });
    onEnd(({ metafile }) => {
      // A bundle of one part of the program need not hold all of them.
      if (!Object.keys(metafile?.inputs ?? {}).includes('src/main.ts')) return undefined;
      const lost = [...replacements, ...changes].filter((row) => !met.has(row));
      const errors = lost.map(({ file }) => ({ text: `scripts/lean.mjs: ${file} is not there or not as it was` }));
      for (const { text } of errors) console.error(text); // esbuild prints no error that is found at the end
      return { errors };
    });
    httpByRequire({ onLoad, onResolve });
  },
};

/**
 * From Node 22 on, an import of node:http reads each of its exports, and one of them (WebSocket) loads all of undici: 8 MB, and in
 * V8's lite mode, which has no WebAssembly, the end of the process. A require reads none.
 * @param {Pick<import('esbuild').PluginBuild, 'onLoad' | 'onResolve'>} build
 */
const httpByRequire = ({ onLoad, onResolve }) => {
  onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
    kind === 'require-call' ? undefined : { path: 'http', namespace: 'by-require' },
  );
  onLoad({ filter: /^/, namespace: 'by-require' }, () => ({ contents: "module.exports = require('node:http');" }));
};
