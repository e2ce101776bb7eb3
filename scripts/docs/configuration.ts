// Generates docs/configuration.md from the schema.

import { globalVariables } from '../../src/config/config.ts';
import { configJsonSchema, type JsonSchema } from '../../src/config/json-schema.ts';
import { defaultFile, fileVariable, urlVariable } from '../../src/config/load.ts';
import { reloads } from '../../src/config/target-setting.ts';
import { targetSettings } from '../../src/config/target-settings.ts';

export const exampleConfig = `listen: { host: 0.0.0.0, port: 9652 }           # /metrics, status page, API, and the probe paths
probes: { port: 9653 }                          # the probe paths alone, always plain HTTP; optional
stateDir: /var/lib/snowgauge                    # optional: keeps event history and liveness state across restarts
targets:
  - name: node                                  # label \`target\`
    url: http://127.0.0.1:9650
    labels: { region: eu-1 }                    # on every series of the target
    healthCheckFrequency: 30s                   # the node's own --health-check-frequency
    timeout: 5s
    tagSets:
      - { name: all }                           # no tags: the whole node
      - { name: my-l1, tags: [2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r] }
    indexes: [P/block, X/block, C/block]
    readiness: { ignoreChecks: [bls], failAfter: 2, passAfter: 1 }
`;

/** For all settings that do not belong to a target. */
const restart = 'the new value takes effect after a restart.';
const refresh =
  'a source whose settings changed starts again, with the list that it had; the other settings apply to the targets at once.';

/** The whole file. */
export const configurationDoc = (): string => `# Configuration

Generated from the schema in \`src/config/\` by \`npm run docs\`.

\`snowgauge run\` reads one YAML file in UTF-8: the one named by \`--config\`, else by \`${fileVariable}\`, else
\`${defaultFile}\` where it exists. Without a file it polls one target, \`node\`, at \`${urlVariable}\`
(default \`http://127.0.0.1:9650\`). Every setting has a default, so an empty file is valid at the start.

An example, not the defaults:

\`\`\`yaml
${exampleConfig}\`\`\`

\`snowgauge config check FILE\` validates a file. It prints all errors, each with line and path, and exits with 2. \`snowgauge run\` does
the same and does not start. \`snowgauge config schema\` prints the JSON Schema of the file
(draft-07) for editors.

Relative paths in the file start at its directory, as in Prometheus; for a configuration that is piped in or redirected, and in flags and
variables, at the working directory. \`credentialsFile\` and \`tokenFile\` need a slash (\`./token\`), so that a credential in their place is an error.

## Settings

Durations are Go durations (\`30s\`, \`1m30s\`, \`250ms\`). Sizes have a unit (\`8MiB\`, \`512KiB\`, \`1500B\`). Names are DNS
labels: lower-case letters, digits and inner \`-\`, at most 63 characters. A check interval is the time between two health check
runs of the node. An unknown key is an error.

The column *reload* shows what happens when the value changes in a reload ([reload.md](reload.md)):

${Object.entries({ ...reloads, refresh, restart })
  .map(([word, meaning]) => `- ${word}: ${meaning}`)
  .join('\n')}

| setting | default | variable | reload | |
|---|---|---|---|---|
${rows().join('\n')}

## Environment variables

A variable takes precedence over the file. \`${urlVariable}\` sets the URL of a single target, and is ignored if the file lists
several. An empty variable is ignored. Other variables beginning with \`SNOWGAUGE_\`, and values such
as \`tcp://10.0.0.1:9652\`, are ignored: Kubernetes sets these in every pod if there is a Service named snowgauge.

## Logs

\`run\`, \`node\` and \`demo\` log to stderr. Flags take precedence over variables:

| flag | variable | default | |
|---|---|---|---|
| \`--log.level\` | \`SNOWGAUGE_LOG_LEVEL\` | \`info\` | \`debug\`, \`info\`, \`warn\`, \`error\` or \`silent\` |
| \`--log.format\` | \`SNOWGAUGE_LOG_FORMAT\` | \`auto\` | \`json\`, \`pretty\`, or \`auto\`: pretty on a terminal, JSON elsewhere. Times are UTC |

If stderr is a pipe and its reader stops, polls and probes continue: up to 1 MiB of lines wait, further ones are dropped, and a later line
says how many (\`log lines lost\`).

One event is one line, whatever number of checks, tag sets and indexes it affects:

    12:00:05Z WARN  poll failed: connection refused (connect ECONNREFUSED 127.0.0.1:9650) at http://127.0.0.1:9650/ext/health/readiness: check that the node runs in the same pod or host, and listens on this port  target=node notReady=all,my-l1
    12:00:50Z WARN  node restarted: its port was closed in between  target=node outageSeconds=45.1
    12:01:50Z INFO  condition Ready changed to True: every check passes  target=node tagSets=all,my-l1

In JSON a line has more fields, such as \`condition\`, \`from\` and \`to\` of a readiness that is lost or returns.
A single failed poll that changes no condition is not logged; the second in a row is, and so is another error while polls keep failing,
once each. If a target has not reported its health yet, a
first response that is not a node's (wrong scheme, redirect, 403, 404, HTML) is logged at once, and a refused connection after 10 seconds. While a node starts, checks that have not run and
chains that bootstrap are not logged, unless they keep the node from being ready for ten check intervals. The event history
([api.md](api.md)) has every event.

## State on disk

With \`stateDir\`, snowgauge keeps its state across restarts:

| in \`stateDir\` | |
|---|---|
| \`events/\` | the event history ([api.md](api.md)), at most 16 MiB |
| \`liveness/\` | liveness state ([probes.md](probes.md)) |
| \`indexes.json\`, \`subnets.json\`, \`discovered.json\`, \`maintenance.json\` | known indexes, known subnets, discovered targets that have responded, maintenance windows of the API |
| \`lock\` | host and pid of the snowgauge process that uses the directory |

- Only one process can use a \`stateDir\`. A second one exits with code 2 and names host and pid of the first; with \`--stay\` it is not ready and
  retries. A Deployment with a shared \`stateDir\` must therefore use the strategy \`Recreate\`; otherwise use a StatefulSet. The lock of a killed
  process is released at once in the same container, and elsewhere after 3 seconds without renewal. If that lock cannot
  be replaced at the start, as on a full disk, or a lock cannot be read, the log names it, and nothing is locked until it can be.
- A process that lost its lock while it was stopped (SIGSTOP, a frozen machine, a hung disk) no longer writes. It keeps serving from memory,
  reports this in the log, in \`/readyz?verbose\` (\`state-dir\`) and as \`snowgauge_state_dir_writable\` 0, and resumes writing once the other
  process is gone.
- Each file contains the version of its format. For upgrades and rollbacks see [upgrades.md](upgrades.md).
- Files have mode 0600, directories 0700. Existing files that other users can access are logged as a warning: \`chmod -R o-rwx\`. Group
  permissions are not changed, so that \`fsGroup\` works.
- Symbolic links in \`stateDir\` are not followed; \`stateDir\` itself may be one.
- If the directory cannot be written (permissions, a full, read-only or failing disk), snowgauge keeps running and retries. It logs the failure
  and the recovery once for each kind of state. While the event history cannot be written, \`/readyz?verbose\` (\`state-dir\`) has the reason,
  and \`snowgauge_state_dir_writable\` is 0.
- Malformed files and records are skipped with a warning. A start reads at most 20 MiB of events, for at most 10 seconds.

## Indexes

With \`indexes: auto\`, every index of the Primary Network is requested at the start, when the node becomes ready, after a restart of the node
and every ten minutes; after one minute if a request has a timeout or a network error while the node is ready. An index that is on is
watched from then on; if it is off later, [SnowgaugeIndexOff](runbooks/SnowgaugeIndexOff.md) fires. An index that was never on has no series.
This is kept across restarts only with a \`stateDir\`, and only for the same name and URL of the target: otherwise list the indexes that must be on.

## Tag sets of subnets

With \`tagSets: auto\`, or \`auto\` in the list, each subnet whose chains the node reports gets a tag set with the subnet id as its only tag; that
of the Primary Network is \`primary\`. A check named by a chain id is assigned to its subnet by \`platform.getBlockchains\`. A check named by an
alias is searched for under the tags of the subnets that the P-Chain lists. This is done when the node reports a new check and after a
restart of the node, with at most 16 requests a poll, and with back-off while a check cannot be assigned (\`snowgauge_unplaced_checks\`). While
the P-Chain is bootstrapping, known subnets are kept.

- The name of a tag set is the alias of the chain; else the name of the chain on the P-Chain with the first six characters of the subnet id
  (\`dfkchain-2ebcwx\`); else the subnet id. Names are unique on a node.
- The configuration takes precedence: a tag set whose only tag is the subnet id replaces the automatic one, so
  \`tagSets: [auto, { name: my-l1, tags: [ID] }]\` renames it.
- A tag set is kept while the node is down, bootstrapping or silent. It is removed when the P-Chain no longer lists the subnet, or when the
  node has been ready without any chain of the subnet for 24 hours;
  [SnowgaugeUnknownTag](runbooks/SnowgaugeUnknownTag.md) fires until then, and \`expectedTagSets\` ([alerts.md](alerts.md)) from then on. Its probe paths stay as after a [reload](reload.md).
- The readiness path of a tag set that has not been found yet returns the readiness of the whole node.
- With a \`stateDir\`, known subnets survive a restart of snowgauge, except for discovered targets.
- At most 50 subnets of a node get a tag set: the log says if there are more. Write a tag set for one of the others if it matters.

Discovered targets have \`tagSets: auto\` by default.

## Check intervals below a second

A node is polled at most once a second. If its \`--health-check-frequency\` is below 0.98 s, a warning is logged within 30 s, neither the check
interval nor missed runs are exported, and the node is polled every \`healthCheckFrequency\`.

## A node that is down

A node that refuses connections is polled every second for a minute, and then every 1/60 of its downtime: every 5 s after five minutes,
every minute after an hour, and at least every \`healthCheckFrequency\`.

## Names of targets

Host names are resolved by the system resolver for each new connection: \`/etc/hosts\` and \`hostAliases\`, then DNS with the search
list of \`/etc/resolv.conf\`. Targets, \`/probe\` and discovery share the lookups:

- Two lookups run at a time. Names whose DNS servers do not respond share one of the two, so they do not delay other names.
- If a lookup takes longer than 1 s, the last known addresses are used. A fresh response always takes precedence, also NXDOMAIN.
- A failed lookup that took more than 1 s is retried after 1 s, 2 s and so on up to 30 s. Meanwhile the last known addresses are used; if there
  are none, the outcome is \`dns\` (the first time usually \`timeout\`).
- The addresses of 4096 names are cached.

## What polling costs the node

A healthy node does not log polls. An unhealthy node logs a WARN line of about 1.5 kB for each health request to which it responds with a failure:
one for each tag set and health check run, and as many for readiness and liveness while these fail. With three tag sets and a run every
30 s that is about 13 MB a day. Each tag set is one more request for each run. Index requests are not logged.

## Variables in the file

\`\${NAME}\` in a value is replaced by the environment variable NAME; it is an error if that is not set. It can be used for numbers
(\`port: \${PORT}\`), and must be quoted within \`[ ]\` and \`{ }\`. \`$\${\` is a literal \`\${\`. Values of variables are never printed.
`;

const cell = (text: string): string => text.replaceAll('|', '\\|');

const row = (path: string, schema: JsonSchema, missing: string): string => {
  const preset = schema.default === undefined ? missing : `\`${shown(schema.default)}\``;
  const variable = globalVariables.find((known) => known.path.join('.') === path)?.variable;
  const cells = [
    `\`${path}\``,
    preset,
    variable === undefined ? '' : `\`${variable}\``,
    reloadOf(path),
    schema.description ?? '',
  ];
  return `| ${cells.map(cell).join(' | ')} |`;
};

/** A nested setting of a target has the reload effect of the setting. */
const reloadOf = (path: string): string => {
  if (path === 'targets') return '';
  const [of, name] = path.split('.');
  if (of === 'maintenance' || of === 'metrics' || of === 'probe' || of === 'server') return 'apply';
  if (of === 'discovery') return 'refresh';
  if (of !== 'targets[]') return 'restart';
  return Object.entries(targetSettings).find(([known]) => known === name?.replace('[]', ''))?.[1].reload ?? '';
};

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null && !Array.isArray(value);

const rows = (): readonly string[] => rowsOf('', configJsonSchema());

/** Settings documented elsewhere: those of a target, and those that all sources share. */
const isToldElsewhere = (path: string): boolean =>
  path.startsWith('discovery.target.') ||
  /^discovery\.(?:http|dns|kubernetes)\[\]\.(?:relabelings|tls|authorization)\W/.test(path);

/** The mapping schema of a list, which may also allow a keyword instead of the list or of an entry. */
const mappingsIn = ({ items, anyOf = [] }: JsonSchema): JsonSchema | undefined => {
  const lists = [items, ...anyOf.map((one) => (isSchema(one) ? one.items : undefined))].filter(isSchema);
  const entries = lists.flatMap((one) => [one, ...(one.anyOf ?? [])]).filter(isSchema);
  return entries.find(({ properties }) => properties !== undefined);
};

/** All settings of a mapping in schema order; nested settings follow their parent. */
const rowsOf = (base: string, schema: JsonSchema, required = 'required'): readonly string[] =>
  Object.entries(schema.properties ?? {}).flatMap(([key, child]) => {
    if (!isSchema(child)) return [];
    const path = base === '' ? key : `${base}.${key}`;
    const items = mappingsIn(child);
    const isRequired = schema.required?.includes(key) === true;
    // Required only if the mapping is present.
    const inMapping = isRequired || child.default !== undefined ? 'required' : `required in \`${key}\``;
    const within = items === undefined ? rowsOf(path, child, inMapping) : rowsOf(`${path}[]`, items);
    if (isToldElsewhere(path)) return [];
    const own = row(path, child, isRequired ? required : 'none');
    // A mapping without its own meaning needs no row.
    return child.properties === undefined || within.length === 0 ? [own, ...within] : within;
  });
