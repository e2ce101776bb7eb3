// docs/configuration.md, from the schema.

import { globalVariables } from '../../src/config/config.ts';
import { configJsonSchema, type JsonSchema } from '../../src/config/json-schema.ts';
import { defaultFile, fileVariable, urlVariable } from '../../src/config/load.ts';
import { reloads } from '../../src/config/target-setting.ts';
import { targetSettings } from '../../src/config/target-settings.ts';

export const exampleConfig = `listen: { host: 0.0.0.0, port: 9652 }           # /metrics, status page, API, and the probe paths
probes: { port: 9653 }                          # the probe paths alone, always plain HTTP; optional
stateDir: /var/lib/snowgauge                    # optional: keeps event history and liveness memory across restarts
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

/** Of all that is no target's. */
const restart = 'the new value takes effect after a restart.';
const refresh =
  'a source whose settings changed starts again, with the list that it had; the other settings apply to the targets at once.';

/** The whole file. */
export const configurationDoc = (): string => `# Configuration

Generated from the schema in \`src/config/\` by \`npm run docs\`.

\`snowgauge run\` reads one YAML file: the one named by \`--config\`, else by \`${fileVariable}\`, else
\`${defaultFile}\` where it exists. Without a file it polls one target, \`node\`, at \`${urlVariable}\`
(default \`http://127.0.0.1:9650\`). An empty file is a configuration too: every setting has its default.

An example, not the defaults:

\`\`\`yaml
${exampleConfig}\`\`\`

\`snowgauge config check FILE\` says whether a file is right. All errors are printed at once, each with its line and path, and
the exit code is 2; \`snowgauge run\` does the same and starts nothing. \`snowgauge config schema\` prints the JSON Schema of the file
(draft-07) for editors.

## Settings

Durations are written as Go does (\`30s\`, \`1m30s\`, \`250ms\`), sizes with their unit (\`8MiB\`, \`512KiB\`, \`1500B\`). Names are DNS
labels: lower-case letters, digits and \`-\` inside, at most 63 characters. A check interval is the time between two health check
runs of the node. An unknown key is an error.

The column *reload* says what a changed value does when the file is reloaded ([reload.md](reload.md)):

${Object.entries({ ...reloads, refresh, restart })
  .map(([word, meaning]) => `- ${word}: ${meaning}`)
  .join('\n')}

| setting | default | variable | reload | |
|---|---|---|---|---|
${rows().join('\n')}

## The environment

A setting with a variable takes it before what the file says. \`${urlVariable}\` is the URL of the one target, and counts for
nothing where the file names several. An empty variable counts as none. Other variables beginning with \`SNOWGAUGE_\`, and values such
as \`tcp://10.0.0.1:9652\`, are ignored: Kubernetes sets such in every pod beside a Service named snowgauge.

## The log

\`run\`, \`node\` and \`demo\` log to stderr. The flag beats the variable:

| flag | variable | default | |
|---|---|---|---|
| \`--log.level\` | \`SNOWGAUGE_LOG_LEVEL\` | \`info\` | \`debug\`, \`info\`, \`warn\`, \`error\` or \`silent\` |
| \`--log.format\` | \`SNOWGAUGE_LOG_FORMAT\` | \`auto\` | \`json\`, \`pretty\`, or \`auto\`: pretty on a terminal, JSON elsewhere |

One event is one line, however many checks, tag sets and indexes it shows in:

    12:00:05 WARN  poll failed: connection refused (connect ECONNREFUSED 127.0.0.1:9650)  target=node notReady=all,my-l1
    12:00:50 WARN  node restarted: its port was closed in between  target=node unansweredSeconds=45.1
    12:01:50 INFO  condition Ready changed to True: every check passes  target=node from=False to=True tagSets=all,my-l1

A poll that fails once and costs no condition is no line: the second one in a row is. While a node starts, its checks that have not
run and its chains that bootstrap are no news; what keeps it from being ready after ten check intervals is. The event history
([api.md](api.md)) has every event.

## State on disk

With \`stateDir\` a restart of snowgauge loses nothing that it knew:

| in \`stateDir\` | |
|---|---|
| \`events/\` | the event history ([api.md](api.md)), at most 16 MiB |
| \`liveness/\` | the liveness memory ([probes.md](probes.md)) |
| \`indexes.json\`, \`subnets.json\`, \`discovered.json\`, \`maintenance.json\` | indexes that were on, subnets that were found, discovered targets that answered, maintenance windows of the API |
| \`lock\` | host and pid of the snowgauge that uses the folder |

- One snowgauge uses a \`stateDir\`. Another one ends with exit code 2, or with \`--stay\` is not ready and tries again, and names the host and
  pid of the first: stop that one, or give each a \`stateDir\` of its own. A Deployment that surges over one shared \`stateDir\` therefore never
  gets on: its new pod waits for the old one, which stays until the new one is ready. Use the strategy \`Recreate\`, or a StatefulSet. A lock that a killed process left holds nobody up: in the same
  container it is known at once, elsewhere (a container that was restarted, another machine on a shared volume) when it was not
  renewed for 3 seconds.
- One that was stopped (SIGSTOP, a frozen machine, a disk that hung) and has lost its lock meanwhile writes nothing more: it looks at the lock
  before each write. It serves on from memory, says so once in the log, in \`/readyz?verbose\` (\`state-dir\`) and as
  \`snowgauge_state_dir_writable\` 0, and writes again once the other one is gone; what it knows itself then replaces what the other wrote.
- Each file says the version of its format. Upgrades, rollbacks and what a newer version wrote: [upgrades.md](upgrades.md).
- Files have mode 0600, folders 0700. What is there already and open to other users of the machine is a warning: \`chmod -R o-rwx\`. Group
  permissions are left to you and to \`fsGroup\`, and a volume may be open to all.
- Symbolic links in \`stateDir\` are not followed; \`stateDir\` itself may be one.
- While the disk is full, read-only or fails otherwise, snowgauge goes on. The log says so once for each kind of state, and once when
  it is written again; nothing that was on disk is lost.
- Malformed files and records are skipped with a warning. A start reads at most 20 MiB of events, for at most 10 seconds.

## Indexes

With \`indexes: auto\` every index of the Primary Network is asked for at the start, when the node becomes ready, after a restart of the node
and every ten minutes. One that is on is watched from then on, also after it is off: that is
[SnowgaugeIndexOff](runbooks/SnowgaugeIndexOff.md). One that was never on has no series. With a \`stateDir\` that survives a restart of snowgauge,
in \`indexes.json\`; without one, or with another name or URL of the target, it is forgotten: list the indexes that must be on.

## Tag sets of subnets

With \`tagSets: auto\`, or \`auto\` in the list, each subnet whose chains the node reports has a tag set of its own, whose one tag is the
subnet's id: the Primary Network's is \`primary\`. A check that is named by its chain's id is placed by \`platform.getBlockchains\`, one that is
named by an alias is looked for under the tags of the subnets that the P-Chain lists. This is asked when the node reports another check
than before, and when it was restarted; at most 16 requests a poll, and ever more rarely while a check cannot be placed
(\`snowgauge_unplaced_checks\`). A P-Chain that bootstraps cannot answer yet: the page says so, and what was found before stays.

- A tag set is called as the operator calls the chain (its alias), else as the chain is called on the P-Chain with the first
  six characters of the subnet's id (\`dfkchain-2ebcwx\`), else by the subnet's id. Two subnets are never called the same on one node.
- What is configured wins: a tag set whose one tag is the subnet's id takes the place of the one that was found, so that
  \`tagSets: [auto, { name: my-l1, tags: [ID] }]\` gives it another name.
- A name stays, and so does the tag set, while the node is down, bootstraps or reports nothing: its readiness says so then. It goes when the
  P-Chain does not list the subnet any more, or when the node was ready and without every chain of the subnet for 24 hours on end;
  [SnowgaugeUnknownTag](runbooks/SnowgaugeUnknownTag.md) fires until then, and \`expectedTagSets\` ([alerts.md](alerts.md)) from then on. Its probe paths go on as after a [reload](reload.md).
- The readiness path of a tag set that is not found yet answers for the whole node.
- With a \`stateDir\` all of it survives a restart of snowgauge, in \`subnets.json\`, but for discovered targets; without one it is found again.
- At most 50 subnets of a node have one.

Discovered targets have \`tagSets: auto\` where nothing else is said.

## Check intervals below a second

A node is polled once a second at most. One that checks more often (\`--health-check-frequency\` below 0.98 s) is found out within 30 s:
a warning in the log, and neither its check interval nor its missed runs are exported. It is polled every \`healthCheckFrequency\`.

## A node that is down

A node that refuses connections is polled every second for a minute, then every 60th part of the time for which it has been down: every 5 s
after five minutes, every minute after an hour, and no more rarely than every \`healthCheckFrequency\`.

## Names of targets

The name in a \`url\` is resolved as the system does it, for each new connection: \`/etc/hosts\` and \`hostAliases\`, then DNS with the search
list of \`/etc/resolv.conf\`. A pod with a new address is found at the next connection. Targets, \`/probe\` and discovery share the lookups:

- Two run at a time, and one of the two is enough for all names whose DNS servers do not answer: they wait for each other, and no other
  name waits for them. snowgauge asks the DNS servers itself first, where several names are looked up at the same time.
- Where a lookup takes longer than 1 s, the last addresses of the name are used. A fresh answer always wins, also that there is no such name.
- A name that failed after more than 1 s is repeated after 1 s, then after 2 s and so on up to 30 s. Meanwhile its last addresses are used;
  where there are none, the outcome is \`dns\`. The first time it is mostly \`timeout\`.
- The addresses of 4096 names are kept.

## What polling costs the node

A node that is healthy logs nothing of it. One that is not writes a line of level WARN, with every result of the report in it (about
1.5 kB), to its own log for each health request that it answers with a failure: one for each tag set and each of its health check
runs, and as many for readiness and liveness while these fail. With three tag sets and a run every 30 s that is about 13 MB a day.
Each tag set of \`tagSets\` is one more request with each run; the indexes cost no such line.

## Variables within the file

\`\${NAME}\` within a value of the file is replaced by the environment variable of that name; one that is not set is an error.
It may stand where a number is (\`port: \${PORT}\`); within \`[ ]\` and \`{ }\` put it in quotes. \`$\${\` stands for \`\${\` itself. What a
variable holds is never printed, in no error either.
`;

const cell = (text: string): string => text.replaceAll('|', '\\|');

const row = (path: string, schema: JsonSchema, isRequired: boolean): string => {
  const preset = schema.default === undefined ? (isRequired ? 'required' : 'none') : `\`${shown(schema.default)}\``;
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

/** A part of a target's setting does what the setting does. */
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

/** What stands elsewhere: settings of a target, and the same for each source. */
const isToldElsewhere = (path: string): boolean =>
  path.startsWith('discovery.target.') ||
  /^discovery\.(?:http|dns|kubernetes)\[\]\.(?:relabelings|tls|authorization)\W/.test(path);

/** The mappings of a list, which may stand beside a word for the whole list, and each beside a word for one. */
const mappingsIn = ({ items, anyOf = [] }: JsonSchema): JsonSchema | undefined => {
  const lists = [items, ...anyOf.map((one) => (isSchema(one) ? one.items : undefined))].filter(isSchema);
  const entries = lists.flatMap((one) => [one, ...(one.anyOf ?? [])]).filter(isSchema);
  return entries.find(({ properties }) => properties !== undefined);
};

/** Every setting under a mapping, in the order of the schema; a mapping or a list of mappings has those within it after it. */
const rowsOf = (base: string, schema: JsonSchema): readonly string[] =>
  Object.entries(schema.properties ?? {}).flatMap(([key, child]) => {
    if (!isSchema(child)) return [];
    const path = base === '' ? key : `${base}.${key}`;
    const items = mappingsIn(child);
    const within = items === undefined ? rowsOf(path, child) : rowsOf(`${path}[]`, items);
    if (isToldElsewhere(path)) return [];
    const own = row(path, child, schema.required?.includes(key) === true);
    // A mapping that only holds settings says nothing that they do not.
    return child.properties === undefined || within.length === 0 ? [own, ...within] : within;
  });
