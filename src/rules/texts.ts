// Parts of the texts of several alerts, as Prometheus templates.

import type { queriedLabels } from './thresholds.ts';

/** The target with its pod, because all sidecars may use the same target name. Targets of an exporter for many nodes have no pod. */
export const theNode = '{{ $labels.target }}{{ with $labels.pod }} ({{ . }}){{ end }}';

/** `1 shard`, `2 shards` */
export const countedValue = (noun: string): string => `{{ $value }} ${noun}{{ if ne $value 1.0 }}s{{ end }}`;

/** A word for the value 1, and one for all other values. */
export const agreeing = (one: string, several: string): string => `{{ if eq $value 1.0 }}${one}{{ else }}${several}{{ end }}`;

/** Without this format a template writes a million as 1e+06. */
export const blocks = '{{ printf "%.0f" $value }} blocks';

/** The exporters of a pod or of a fleet. */
export const theExporter = '{{ with $labels.pod }}{{ . }}{{ else }}of {{ or $labels.namespace "the fleet" }}{{ end }}';

interface Query {
  /** Matchers that do not depend on the alert, each followed by a comma. */
  readonly own?: string;
  /** Labels of the alert that must match, in addition to those of setting `by`. */
  readonly labels?: readonly string[];
  /** For example ` == 0`. */
  readonly where?: string;
}

/** The series of a recording rule with the labels of the alert that setting `by` lists. The marks become text with the settings. */
const asked = (record: string, by: (typeof queriedLabels)[number], { own = '', labels = [], where = '' }: Query = {}): string => {
  const matchers = labels.map((label) => `,${label}=%q`).join('');
  const values = labels.map((label) => ` $labels.${label}`).join('');
  return `printf "${record}{${own}<${by}Matchers>${matchers}}${where}" <${by}Values>${values} | query`;
};

interface Listing {
  /** Name of a recording rule. */
  readonly record: string;
  /** Labels of the alert that must match, in addition to the identity labels. */
  readonly labels?: readonly string[];
  /** Template of what is shown of each series. */
  readonly show: string;
  readonly sort: string;
  /** For example ` == 0`. */
  readonly where?: string;
}

/** ` Title: a b.` at the end of a description, or nothing if the list is empty. */
export const listTemplate = (title: string, { record, labels = [], show, sort, where = '' }: Listing): string =>
  `{{ with ${asked(record, 'identity', { labels, where })} | sortByLabel "${sort}" }} ${title}:{{ range . }} ${show}{{ end }}.{{ end }}`;

/** At the end of the description of every alert on a target: its NodeID, if known. */
export const itsNodeId = listTemplate('NodeID', { record: 'snowgauge:node_id', show: '{{ .Labels.node_id }}', sort: 'node_id' });
export const itsNetwork = '{{ with $labels.network }} Network: {{ . }}.{{ end }}';

/** The failing checks of the node, and their reasons. */
export const itsReasons = listTemplate('Failing checks', {
  record: 'snowgauge:check_failure_reason',
  show: '{{ .Labels.check }} ({{ .Labels.reason }})',
  sort: 'check',
});

/** If the database is closed, all chains fail. */
export const itsRoot = `{{ with ${asked('snowgauge:check_failure_reason', 'identity', { own: 'check=\\"database\\",' })} }} Root cause: the database; the other checks follow from it.{{ end }}`;

/** Condition Live includes silence and hanging checks, and for how long. No other alert knows that. */
export const needsRestart = `{{ with ${asked('snowgauge:not_live', 'identity')} }}{{ if eq (. | first | value) 1.0 }} Condition Live is False: only a restart can help.{{ end }}{{ end }}`;

const tagSetsWhere = (title: string, record: string, where: string): string =>
  listTemplate(title, { record, show: '{{ .Labels.tag_set }}', sort: 'tag_set', where });

/** Consequences, in the description of an alert on their cause. */
export const notReady = tagSetsWhere('Not ready', 'snowgauge:ready', ' == 0');

const ofNode = (text: string): string => `{{ if not $labels.tag_set }}${text}{{ end }}`;

/** The unhealthy tag sets, for an alert on the node as a whole. */
export const unhealthyTagSets = ofNode(tagSetsWhere('Tag sets', 'snowgauge:unhealthy', ' == 1'));

export const unreadyTagSets = ofNode(tagSetsWhere('Tag sets', 'snowgauge:ready', ' == 0'));

/** The tag sets for which the check of the alert counts. */
export const itsTagSets = listTemplate('Tag sets', {
  record: 'snowgauge:tag_set_check',
  labels: ['check'],
  show: '{{ .Labels.tag_set }}',
  sort: 'tag_set',
});

/** The failing checks that the nodes of a fleet share, and whether reference nodes fail them too. */
export const sharedChecks = `{{ with ${asked('snowgauge:shared_failure', 'fleet')} | sortByLabel "check" }} Checks:{{ range . }} {{ .Labels.check }} on {{ .Value | humanizePercentage }} of the nodes{{ end }}.{{ end }}`;
export const referenceChecks = `{{ with ${asked('snowgauge:reference_failure', 'fleet')} | sortByLabel "check" }} Reference nodes of others fail too:{{ range . }} {{ .Labels.check }}{{ end }}.{{ else }} No reference node fails these checks, or none is watched.{{ end }}`;
