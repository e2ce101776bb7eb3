// Series in promtool's notation, and a node that is well: what the rules are tested against.

/** `name{labels}` without what a scrape adds -> values, a step apart. */
export type Series = Readonly<Record<string, string>>;

/** A sample for each of so many steps; `_` is none, `stale` ends a series. */
export const hold = (value: number | '_', steps: number): string =>
  value === '_' ? `_x${steps}` : steps === 1 ? `${value}` : `${value}x${steps - 1}`;

export const grow = (from: number, by: number, steps: number): string =>
  steps === 1 ? `${from}` : `${from}${by < 0 ? '-' : '+'}${Math.abs(by)}x${steps - 1}`;

/** One part after the other. */
export const inTurn = (...parts: readonly string[]): string => parts.filter((part) => !/^_x0$/.test(part)).join(' ');

/** The last sample of a part is followed by the mark that a series has ended. */
export const ended = (part: string): string => `${part} stale`;

export const l1 = '2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r';
export const tagSets = ['all', 'my-l1'] as const;
const application = ['bootstrapped', 'database', 'diskspace', 'futureupgrade', 'network', 'router'];
const chains: Readonly<Record<(typeof tagSets)[number], readonly string[]>> = { all: ['P', 'C', l1], 'my-l1': [l1] };

/** The same values for both tag sets: an application check is in each. */
export const both = (name: string, values: string, labels = ''): Series =>
  Object.fromEntries(tagSets.map((tagSet) => [`${name}{tag_set="${tagSet}"${labels === '' ? '' : `,${labels}`}}`, values]));

/** A check as the report tells it: from `failing` on for one reason; the values are those of snowgauge_check_healthy. */
export const check = (name: string, healthy: string, tagSetsWithIt: readonly string[] = tagSets): Series =>
  Object.fromEntries(tagSetsWithIt.map((tagSet) => [`snowgauge_check_healthy{tag_set="${tagSet}",check="${name}"}`, healthy]));

export const reason = (name: string, why: string, values: string, tagSetsWithIt: readonly string[] = tagSets): Series =>
  Object.fromEntries(
    tagSetsWithIt.map((tagSet) => [
      `snowgauge_check_failure_reason{tag_set="${tagSet}",check="${name}",reason="${why}"}`,
      values,
    ]),
  );

export const healthy = (values: string, tagSetsWithIt: readonly string[] = tagSets): Series =>
  Object.fromEntries(tagSetsWithIt.map((tagSet) => [`snowgauge_health_healthy{tag_set="${tagSet}"}`, values]));

const perCheck = (steps: number, seconds: number, tagSet: (typeof tagSets)[number]): Series =>
  Object.fromEntries(
    [...application, ...chains[tagSet]].flatMap((name) => {
      const labels = `{tag_set="${tagSet}",check="${name}"`;
      return [
        [`snowgauge_check_healthy${labels}}`, hold(1, steps)],
        [`snowgauge_check_last_run_timestamp_seconds${labels}}`, grow(0, seconds, steps)],
        [`snowgauge_check_transitions_total${labels},to="failing"}`, hold(0, steps)],
        [`snowgauge_check_transitions_total${labels},to="passing"}`, hold(0, steps)],
      ];
    }),
  );

const perChain = (steps: number, tagSet: (typeof tagSets)[number]): Series =>
  Object.fromEntries(
    chains[tagSet].flatMap((chain) => [
      [`snowgauge_chain_last_accepted_height{tag_set="${tagSet}",chain="${chain}"}`, grow(1000, 20, steps)],
      [`snowgauge_chain_connected_ratio{tag_set="${tagSet}",chain="${chain}"}`, hold(0.97, steps)],
    ]),
  );

export const index = (chain: 'P' | 'C', steps: number): Series => ({
  ...Object.fromEntries(
    ['ok', 'empty', 'off', 'historical', 'error', 'unknown'].map((state) => [
      `snowgauge_index_state{index="${chain}/block",state="${state}"}`,
      hold(state === 'ok' ? 1 : 0, steps),
    ]),
  ),
  [`snowgauge_index_last_accepted_height{index="${chain}/block"}`]: grow(999, 20, steps),
  [`snowgauge_index_height_drift{index="${chain}/block"}`]: hold(0, steps),
  [`snowgauge_index_agrees_with_chain{index="${chain}/block"}`]: hold(1, steps),
  [`snowgauge_index_gaps_total{index="${chain}/block"}`]: hold(0, steps),
});

/** A node that has been well for so many steps of so many seconds, and its exporter. */
export const well = (steps: number, seconds = 60): Series => ({
  up: hold(1, steps),
  'snowgauge_build_info{version="0.1.0"}': hold(1, steps),
  snowgauge_config_last_reload_successful: hold(1, steps),
  snowgauge_pod_labels_current: hold(1, steps),
  snowgauge_up: hold(1, steps),
  snowgauge_health_frozen: hold(0, steps),
  snowgauge_clock_skew_seconds: hold(0.1, steps),
  ...healthy(hold(1, steps)),
  ...both('snowgauge_target_ready', hold(1, steps)),
  ...both('snowgauge_network_connected_peers', hold(200, steps)),
  ...both('snowgauge_network_last_message_received_timestamp_seconds', grow(-1, seconds, steps)),
  ...both('snowgauge_disk_available_bytes', hold(6e11, steps)),
  ...both('snowgauge_disk_available_ratio', hold(0.6, steps)),
  ...both('snowgauge_bootstrapping_subnets', hold(0, steps)),
  ...perCheck(steps, seconds, 'all'),
  ...perCheck(steps, seconds, 'my-l1'),
  ...perChain(steps, 'all'),
  ...perChain(steps, 'my-l1'),
  [`snowgauge_tag_known{tag_set="my-l1",tag="${l1}"}`]: hold(1, steps),
  ...index('P', steps),
  ...index('C', steps),
});

/** Those of some series for which it is so, with other values. */
export const where = (series: Series, is: (name: string) => boolean, values: string | ((before: string) => string)): Series =>
  Object.fromEntries(
    Object.entries(series)
      .filter(([name]) => is(name))
      .map(([name, before]) => [name, typeof values === 'string' ? values : values(before)]),
  );

/** What the exporter knows of a node only while it answers. */
export const isOfNode = (name: string): boolean =>
  !/^(?:up|snowgauge_(?:up|build_info|config_.*|target_ready.*|check_transitions_total.*|index_gaps_total.*))(?:\{|$)/.test(name);

/** With the labels of a scrape, and of the target: as Prometheus keeps it. */
export const scraped = (series: Series, at = 0): Series =>
  Object.fromEntries(
    Object.entries(series).map(([name, values]) => {
      const [, family = name, labels = ''] = /^([^{]+)\{(.*)\}$/.exec(name) ?? [];
      const own = /^snowgauge_(?!build_info|config_|pod_label)/.test(family) ? ['target="node"'] : [];
      const all = [...Object.entries(scrapeLabels(at)).map(([key, value]) => `${key}="${value}"`), ...own, labels];
      return [`${family}{${all.filter((text) => text !== '').join(',')}}`, values];
    }),
  );

export const scrapeLabels = (at = 0): Readonly<Record<string, string>> => ({
  job: 'snowgauge',
  namespace: 'avalanche',
  pod: `validator-${at}`,
  instance: `10.0.0.${at + 1}:9652`,
});
