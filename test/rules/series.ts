// Series in promtool's notation, and a healthy node as the base of all cases.

/** `name{labels}` without the labels of the scrape -> values, one per step. */
export type Series = Readonly<Record<string, string>>;

/** The same sample for this many steps; `_` is a missing sample, `stale` ends a series. */
export const hold = (value: number | '_', steps: number): string =>
  value === '_' ? `_x${steps}` : steps === 1 ? `${value}` : `${value}x${steps - 1}`;

export const grow = (from: number, by: number, steps: number): string =>
  steps === 1 ? `${from}` : `${from}${by < 0 ? '-' : '+'}${Math.abs(by)}x${steps - 1}`;

/** Concatenates parts in time. */
export const inTurn = (...parts: readonly string[]): string => parts.filter((part) => !/^_x0$/.test(part)).join(' ');

/** Ends the part with a staleness marker. */
export const ended = (part: string): string => `${part} stale`;

export const l1 = '2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r';
export const tagSets = ['all', 'my-l1'] as const;
type TagSet = (typeof tagSets)[number];
const application = ['bootstrapped', 'database', 'diskspace', 'futureupgrade', 'network', 'router'];
const chains = ['P', 'C', l1];
/** The untagged tag set has every check; a subnet's has its own checks and those of no tag. */
const checksOf: Readonly<Record<TagSet, readonly string[]>> = { all: [...application, ...chains], 'my-l1': [...application, l1] };

/** The same values for each of these tag sets. */
export const perTagSet = (family: string, values: string, which: readonly string[] = tagSets): Series =>
  Object.fromEntries(which.map((tagSet) => [`${family}{tag_set="${tagSet}"}`, values]));

/** Whether a check passes. */
export const check = (name: string, values: string): Series => ({ [`snowgauge_check_healthy{check="${name}"}`]: values });

export const reason = (name: string, why: string, values: string): Series => ({
  [`snowgauge_check_failure_reason{check="${name}",reason="${why}"}`]: values,
});

/** The first failure time of a check. */
export const since = (name: string, values: string): Series => ({
  [`snowgauge_check_first_failure_timestamp_seconds{check="${name}"}`]: values,
});

/** Makes a check part of some tag sets. */
export const counts = (name: string, values: string, which: readonly string[]): Series =>
  Object.fromEntries(which.map((tagSet) => [`snowgauge_tag_set_check_info{tag_set="${tagSet}",check="${name}"}`, values]));

/** Additional tag sets, each with the checks of the node and of one subnet. */
export const moreTagSets = (names: readonly string[], steps: number): Series => ({
  ...Object.assign({}, ...application.map((name) => counts(name, hold(1, steps), names))),
  ...Object.assign({}, ...names.map((name) => counts(name, hold(1, steps), [name]))),
  ...Object.assign({}, ...names.map((name) => counts(name, hold(1, steps), ['all']))),
  ...Object.assign({}, ...names.map((name) => check(name, hold(1, steps)))),
  ...healthy(hold(1, steps), names),
  ...ready(hold(1, steps), names),
});

const flipped = (values: string): string => values.replace(/(?<![\d.x])[01](?![\d.])/g, (digit) => (digit === '0' ? '1' : '0'));

/** The status series of a condition that is never Unknown. */
export const condition = (name: string, values: string, tagSet?: string): Series =>
  Object.fromEntries(
    [
      ['true', values],
      ['false', flipped(values)],
      ['unknown', values.replace(/(?<![\d.x])1(?![\d.])/g, '0')],
    ].map(([status, of]) => [
      `snowgauge_target_condition{condition="${name}",${tagSet === undefined ? '' : `tag_set="${tagSet}",`}status="${status}"}`,
      of ?? '',
    ]),
  );

/** The Healthy condition of these tag sets. */
export const healthyCondition = (values: string, which: readonly string[] = tagSets): Series =>
  Object.assign({}, ...which.map((tagSet) => condition('Healthy', values, tagSet)));

/** The node's own health, the Healthy condition, and one failing check where the value is 0. */
export const healthy = (values: string, which: readonly string[] = tagSets): Series => ({
  ...perTagSet('snowgauge_health_healthy', values, which),
  ...perTagSet('snowgauge_tag_set_failing_checks', flipped(values), which),
  ...healthyCondition(values, which),
});

export const ready = (values: string, which: readonly string[] = tagSets): Series =>
  Object.assign({}, ...which.map((tagSet) => condition('Ready', values, tagSet)));

const perCheck = (steps: number, seconds: number): Series =>
  Object.fromEntries(
    checksOf.all.flatMap((name) => {
      const labels = `{check="${name}"`;
      return [
        [`snowgauge_check_healthy${labels}}`, hold(1, steps)],
        [`snowgauge_check_last_run_timestamp_seconds${labels}}`, grow(0, seconds, steps)],
        [`snowgauge_check_transitions_total${labels},to="failing"}`, hold(0, steps)],
        [`snowgauge_check_transitions_total${labels},to="passing"}`, hold(0, steps)],
      ];
    }),
  );

const membership = (steps: number): Series =>
  Object.assign({}, ...tagSets.flatMap((tagSet) => checksOf[tagSet].map((name) => counts(name, hold(1, steps), [tagSet]))));

const perChain = (steps: number): Series =>
  Object.fromEntries(
    chains.flatMap((chain) => [
      [`snowgauge_chain_last_accepted_height{chain="${chain}"}`, grow(1000, 20, steps)],
      [`snowgauge_chain_connected_ratio{chain="${chain}"}`, hold(0.97, steps)],
    ]),
  );

const errorKinds = ['gap', 'number', 'id', 'time', 'bytes', 'hash'];

export const index = (chain: 'P' | 'C', steps: number): Series => ({
  ...Object.fromEntries(
    ['ok', 'empty', 'off', 'historical', 'error', 'unknown'].map((state) => [
      `snowgauge_index_state{index="${chain}/block",state="${state}"}`,
      hold(state === 'ok' ? 1 : 0, steps),
    ]),
  ),
  ...Object.fromEntries(
    errorKinds.map((kind) => [`snowgauge_index_integrity_errors_total{index="${chain}/block",kind="${kind}"}`, hold(0, steps)]),
  ),
  [`snowgauge_index_last_accepted_height{index="${chain}/block"}`]: grow(999, 20, steps),
  [`snowgauge_index_height_drift{index="${chain}/block"}`]: hold(0, steps),
  [`snowgauge_index_agrees_with_chain{index="${chain}/block"}`]: hold(1, steps),
});

/** A process mark for each stretch of its clock: the run is `phase` seconds into it. */
export const marks = (phase: number, steps: number, seconds = 60): string =>
  Array.from({ length: steps }, (_, step) => 256 * Math.floor((step * seconds) / 256) + phase).join(' ');

/** A healthy node and its exporter, for this many steps. */
export const primary = '11111111111111111111111111111111LpoYY';

export const reward = (state: string, values: string): Series => ({
  [`snowgauge_validator_reward_state{state="${state}"}`]: values,
});

/** A long-running validator of the Primary Network and of an L1. */
const paid = (steps: number): Series => ({
  ...reward('on-track', hold(1, steps)),
  snowgauge_target_validator_expected: hold(1, steps),
  snowgauge_node_uptime_projected_ratio: hold(0.99, steps),
  snowgauge_node_uptime_budget_seconds: hold(1e6, steps),
  [`snowgauge_validator_stake_start_timestamp_seconds{subnet="${primary}"}`]: hold(0, steps),
  [`snowgauge_validator_stake_end_timestamp_seconds{subnet="${primary}"}`]: hold(1e7, steps),
  [`snowgauge_l1_validator_active{subnet="${l1}"}`]: hold(1, steps),
  [`snowgauge_l1_validator_balance_end_timestamp_seconds{subnet="${l1}"}`]: hold(1e7, steps),
});

export const well = (steps: number, seconds = 60): Series => ({
  up: hold(1, steps),
  'snowgauge_build_info{version="0.1.0"}': hold(1, steps),
  snowgauge_config_last_reload_successful: hold(1, steps),
  snowgauge_config_last_reload_success_timestamp_seconds: hold(0, steps),
  snowgauge_pod_labels_current: hold(1, steps),
  'snowgauge_discovery_last_refresh_successful{source="file/0"}': hold(1, steps),
  'snowgauge_discovery_dropped_targets{source="kubernetes/0",reason="refused"}': hold(0, steps),
  snowgauge_node_restarts_total: hold(0, steps),
  snowgauge_event_history_write_failures_total: hold(0, steps),
  snowgauge_event_history_dropped_records_total: hold(0, steps),
  'snowgauge_overloaded{reason="event_loop"}': hold(0, steps),
  'snowgauge_requests_shed_total{kind="scrape"}': hold(0, steps),
  process_start_time_seconds: hold(1, steps),
  snowgauge_up: hold(1, steps),
  snowgauge_last_report_timestamp_seconds: grow(0, seconds, steps),
  snowgauge_health_frozen: hold(0, steps),
  snowgauge_clock_skew_seconds: hold(0.1, steps),
  ...healthy(hold(1, steps)),
  ...ready(hold(1, steps)),
  ...condition('Started', hold(1, steps)),
  ...condition('Live', hold(1, steps)),
  'snowgauge_polls_total{api="health",outcome="ok"}': grow(4, 4, steps),
  'snowgauge_polls_total{api="index",outcome="ok"}': grow(2, 2, steps),
  snowgauge_network_connected_peers: hold(200, steps),
  snowgauge_network_last_message_received_timestamp_seconds: grow(-1, seconds, steps),
  snowgauge_disk_available_bytes: hold(6e11, steps),
  snowgauge_disk_available_ratio: hold(0.6, steps),
  snowgauge_bootstrapping_subnets: hold(0, steps),
  snowgauge_health_run_mark_timestamp_seconds: marks(0.25, steps, seconds),
  'snowgauge_target_node_id_expected{node_id="NodeID-a"}': hold(1, steps),
  snowgauge_peers_newer_version: hold(0, steps),
  'snowgauge_upgrade_scheduled_timestamp_seconds{upgrade="helicon"}': hold(1e9, steps),
  ...paid(steps),
  ...perCheck(steps, seconds),
  ...membership(steps),
  ...perChain(steps),
  [`snowgauge_tag_known{tag_set="my-l1",tag="${l1}"}`]: hold(1, steps),
  ...index('P', steps),
  ...index('C', steps),
});

/** Replaces the values of the series that match. */
export const where = (series: Series, is: (name: string) => boolean, values: string | ((before: string) => string)): Series =>
  Object.fromEntries(
    Object.entries(series)
      .filter(([name]) => is(name))
      .map(([name, before]) => [name, typeof values === 'string' ? values : values(before)]),
  );

/** Series that exist only while the node answers. */
export const isOfNode = (name: string): boolean =>
  !/^(?:up|snowgauge_(?:up|build_info|config_.*|overloaded.*|requests_shed_.*|discovery_.*|target_condition.*|polls_total.*|check_transitions_total.*|index_integrity_errors_total.*))(?:\{|$)/.test(
    name,
  );

/** Adds the labels of the scrape, of the target and of its configuration, as Prometheus stores the series. */
export const scraped = (
  series: Series,
  by: number | Readonly<Record<string, string>> = 0,
  target = 'node',
  given = 'site="ams"',
): Series =>
  Object.fromEntries(
    Object.entries(series).map(([name, values]) => {
      const [, family = name, labels = ''] = /^([^{]+)\{(.*)\}$/.exec(name) ?? [];
      const own = /^snowgauge_(?!build_info|config_|discovery_|shard|pod_label|event_history)/.test(family)
        ? [`target="${target}"`, given]
        : [];
      const scrape = typeof by === 'number' ? scrapeLabels(by) : by;
      const all = [...Object.entries(scrape).map(([key, value]) => `${key}="${value}"`), ...own, labels];
      return [`${family}{${all.filter((text) => text !== '').join(',')}}`, values];
    }),
  );

export const scrapeLabels = (at = 0): Readonly<Record<string, string>> => ({
  job: 'snowgauge',
  namespace: 'avalanche',
  pod: `validator-${at}`,
  instance: `10.0.0.${at + 1}:9652`,
});

/** The target info of an exporter, beside a node or of a fleet. */
export const info = (url: string, nodeId: string, values: string, network = 'mainnet', source = 'configuration'): Series => ({
  [`snowgauge_target_info{url="${url}",node_id="${nodeId}",network="${network}",version="1.13.0",source="${source}"}`]: values,
});

/** Another value for some steps from step `from` on, then the first again. */
export const dip = (before: number, then_: number | '_', steps: number, from: number, many = steps - from): string =>
  inTurn(
    ...[hold(before, from)].filter(() => from > 0),
    hold(then_, many),
    ...[hold(before, steps - from - many)].filter(() => steps > from + many),
  );

/** Expands promtool's notation to one value per step; `_` is a missing sample. */
const each = (values: string): readonly string[] =>
  values.split(' ').flatMap((part) => {
    const [, from = part, sign = '+', by = '0', more = '0'] = /^(-?[\d.e]+)(?:([+-])([\d.e]+))?x(\d+)$/.exec(part) ?? [];
    const [, gaps] = /^_x(\d+)$/.exec(part) ?? [];
    if (gaps !== undefined) return Array.from({ length: Number(gaps) }, () => '_');
    const step = Number(`${sign}${by}`);
    return Array.from({ length: Number(more) + 1 }, (_, at) =>
      Number.isNaN(Number(from)) ? from : String(Number(from) + at * step),
    );
  });

/** Loses scrapes: only `up` has a sample, 0. */
export const losing = (series: Series, isLost: (step: number) => boolean): Series =>
  Object.fromEntries(
    Object.entries(series).map(([name, values]) => {
      const lost = name.startsWith('up') ? '0' : 'stale';
      return [
        name,
        each(values)
          .map((value, at) => (isLost(at) && value !== 'stale' ? lost : value))
          .join(' '),
      ];
    }),
  );

/** All series end at a step because the exporter is no longer scraped. */
export const until = (series: Series, step: number): Series =>
  Object.fromEntries(Object.entries(series).map(([name, values]) => [name, [...each(values).slice(0, step), 'stale'].join(' ')]));

/** Removes all samples before a step. */
export const beginning = (series: Series, step: number): Series =>
  Object.fromEntries(Object.entries(series).map(([name, values]) => [name, inTurn(hold('_', step), values)]));
