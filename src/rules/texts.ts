// What the texts of several alerts say, as templates of Prometheus.

import { identityLabels } from './thresholds.ts';

/** Which node: every sidecar's target may have the same name. A node beside an exporter of many has no pod. */
export const theNode = '{{ $labels.target }}{{ with $labels.pod }} ({{ . }}){{ end }}';

/** `1 shard`, `2 shards` */
export const countedValue = (noun: string): string => `{{ $value }} ${noun}{{ if ne $value 1.0 }}s{{ end }}`;

/** Of what is counted: a word for one, and one for several. */
export const agreeing = (one: string, several: string): string => `{{ if eq $value 1.0 }}${one}{{ else }}${several}{{ end }}`;

/** A template writes a million as 1e+06. */
export const blocks = '{{ printf "%.0f" $value }} blocks';

/** The exporters of a pod, or of a fleet. */
export const theExporter = '{{ with $labels.pod }}{{ . }}{{ else }}of {{ or $labels.namespace "the fleet" }}{{ end }}';

const matchers = (labels: readonly string[]): string => labels.map((label) => `${label}=%q`).join(',');
const values = (labels: readonly string[]): string => labels.map((label) => `$labels.${label}`).join(' ');

/** `series` may have matchers of its own, each followed by a comma. */
const asked = (record: string, labels: readonly string[], own = ''): string =>
  `printf "${record}{${own}${matchers(labels)}}" ${values(labels)} | query`;

interface Listing {
  /** A recording rule. */
  readonly record: string;
  /** Labels of the alert that are matched beside those of the target. */
  readonly labels?: readonly string[];
  /** What of each series is shown. */
  readonly show: string;
  readonly sort: string;
  /** ` == 0` */
  readonly where?: string;
}

/** ` Title: a b.` where there is something to list, as the end of a description. */
export const listTemplate = (title: string, { record, labels = [], show, sort, where = '' }: Listing): string => {
  const all = [...identityLabels, ...labels];
  const question = `printf "${record}{${matchers(all)}}${where}" ${values(all)} | query | sortByLabel "${sort}"`;
  return `{{ with ${question} }} ${title}:{{ range . }} ${show}{{ end }}.{{ end }}`;
};

/** At the end of what is said of a target: who it is, as far as that is known. */
export const itsNodeId = listTemplate('NodeID', { record: 'snowgauge:node_id', show: '{{ .Labels.node_id }}', sort: 'node_id' });
export const itsNetwork = '{{ with $labels.network }} Network: {{ . }}.{{ end }}';

/** What fails on the node, and why. */
export const itsReasons = listTemplate('Failing checks', {
  record: 'snowgauge:check_failure_reason',
  show: '{{ .Labels.check }} ({{ .Labels.reason }})',
  sort: 'check',
});

/** A closed database fails every chain with it. */
export const itsRoot = `{{ with ${asked('snowgauge:check_failure_reason', identityLabels, 'check=\\"database\\",')} }} Root cause: the database; the other checks follow from it.{{ end }}`;

/** The one condition that says so: a silence, or checks that hang, of which no other alert knows how long they last. */
export const needsRestart = `{{ with ${asked('snowgauge:not_live', identityLabels)} }}{{ if eq (. | first | value) 1.0 }} Condition Live is False: only a restart can help.{{ end }}{{ end }}`;

const tagSetsWhere = (title: string, record: string, where: string): string =>
  listTemplate(title, { record, show: '{{ .Labels.tag_set }}', sort: 'tag_set', where });

/** Beside the cause that another alert explains it by. */
export const notReady = tagSetsWhere('Not ready', 'snowgauge:ready', ' == 0');

const ofNode = (text: string): string => `{{ if not $labels.tag_set }}${text}{{ end }}`;

/** The tag sets that are unhealthy, where it is the node that is. */
export const unhealthyTagSets = ofNode(tagSetsWhere('Tag sets', 'snowgauge:unhealthy', ' == 1'));

export const unreadyTagSets = ofNode(tagSetsWhere('Tag sets', 'snowgauge:ready', ' == 0'));

/** The tag sets that the check of the alert counts for. */
export const itsTagSets = listTemplate('Tag sets', {
  record: 'snowgauge:tag_set_check',
  labels: ['check'],
  show: '{{ .Labels.tag_set }}',
  sort: 'tag_set',
});

/** What of a fleet is shared, and whether nodes of others have it too. */
export const sharedChecks = `{{ with printf "snowgauge:shared_failure{${matchers(['cluster', 'namespace'])}}" ${values(['cluster', 'namespace'])} | query | sortByLabel "check" }} Checks:{{ range . }} {{ .Labels.check }} on {{ .Value | humanizePercentage }} of the nodes{{ end }}.{{ end }}`;
export const referenceChecks = `{{ with printf "snowgauge:reference_failure{${matchers(['cluster', 'namespace'])}}" ${values(['cluster', 'namespace'])} | query | sortByLabel "check" }} Reference nodes of others fail too:{{ range . }} {{ .Labels.check }}{{ end }}.{{ else }} No reference node fails these checks, or none is watched.{{ end }}`;
