// Annotations of a pod that configure its target: labels, URL and tag sets.

import { nearest } from '../../yaml/suggest.ts';
import { listedNames, shownName } from '../target-of.ts';

export const annotationPrefix = 'snowgauge.io/';

/** Names of the annotations that configure a target, without the prefix. */
export const annotationNames = ['port', 'host', 'scheme', 'path', 'tag-sets', 'labels'] as const;

/** Name of the label that includes or excludes a pod, without the prefix. */
export const watchName = 'watch';

/** Names of annotations that a sidecar in the same pod reads. */
const namesOfSidecar: readonly string[] = ['url', 'maintenance-until', 'maintenance-reason'];

/** Maximum number of entries that are read from an annotation: more than a target may have. */
const maxGiven = 101;

/** Labels of Kubernetes and Prometheus that identify where a node runs: a pod must not pretend to be another. */
const reservedNames: ReadonlySet<string> = new Set([
  'cluster',
  'container',
  'endpoint',
  'namespace',
  'node',
  'pod',
  'replica',
  'service',
  'target',
]);

const settings = [
  ['scheme', '__scheme__'],
  ['path', '__path__'],
  ['tag-sets', '__tag_sets__'],
] as const;

/** Label -> what an operator has to correct: the annotation that sets the label. */
export const annotationOf: ReadonlyMap<string, string> = new Map(
  settings.map(([name, label]) => [label, `the annotation ${annotationPrefix}${name}`]),
);

type Annotations = Readonly<Record<string, string>>;
type Given = readonly (readonly [string, string])[];

/** Returns labels from the annotations of a pod. `leftOut`: a message about annotations that are not used. */
export const givenBy = (annotations: Annotations): { readonly labels: Given; readonly leftOut?: string } => {
  const { labels, reserved, incomplete } = writtenLabels(annotations);
  const unknown = unknownOf(annotations);
  const ofLabels = [
    ...(reserved.size > 0 ? [`may not set ${listedNames([...reserved])}: set them with relabelings`] : []),
    ...(incomplete.size > 0 ? [`has no value for ${listedNames([...incomplete])}: write NAME=VALUE,NAME=VALUE`] : []),
  ];
  const leftOut = [
    ...(ofLabels.length > 0 ? [`the annotation ${annotationPrefix}labels ${ofLabels.join('; it ')}`] : []),
    ...(unknown === undefined ? [] : [unknown]),
  ];
  return {
    labels: [...labels, ...settingsOf(annotations)],
    ...(leftOut.length > 0 && { leftOut: leftOut.join('; ') }),
  };
};

/** A message about annotations with our prefix that mean nothing: most likely they are misspelt. */
const unknownOf = (annotations: Annotations): string | undefined => {
  const known: readonly string[] = [...annotationNames, ...namesOfSidecar];
  const [first, ...more] = Object.keys(annotations)
    .flatMap((key) => (key.startsWith(annotationPrefix) ? [key.slice(annotationPrefix.length)] : []))
    .filter((name) => !known.includes(name));
  if (first === undefined) return undefined;
  const others = more.length === 0 ? '' : `; also unknown: ${listedNames(more)}`;
  return `the annotation ${annotationPrefix}${shownName(first)} is unknown: ${hintFor(first)}${others}`;
};

const hintFor = (name: string): string => {
  if (name === watchName) return 'set the label of that name';
  const meant = nearest(name, annotationNames);
  return meant === undefined ? `expected one of ${annotationNames.join(', ')}` : `did you mean ${annotationPrefix}${meant}?`;
};

/** Parses the annotation `snowgauge.io/labels`. `reserved`: names that it may not set. `incomplete`: names without a value. */
const writtenLabels = (annotations: Annotations) => {
  const labels: (readonly [string, string])[] = [];
  const [reserved, incomplete] = [new Set<string>(), new Set<string>()];
  for (const part of (annotations[`${annotationPrefix}labels`] ?? '').split(',', maxGiven)) {
    const [first = '', ...value] = part.split('=');
    const name = first.trim();
    if (reservedNames.has(name) || name.startsWith('__')) reserved.add(name);
    else if (value.length > 0) labels.push([name, value.join('=').trim()]);
    else if (name !== '') incomplete.add(name);
  }
  return { labels, reserved, incomplete };
};

const settingsOf = (annotations: Annotations): Given =>
  settings.flatMap(([name, label]) => {
    const value = annotations[annotationPrefix + name]?.split(';', maxGiven).join(';');
    return value === undefined ? [] : [[label, value] as const];
  });
