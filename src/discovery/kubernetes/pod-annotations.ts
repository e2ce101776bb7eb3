// Annotations of a pod that configure its target: labels, URL and tag sets.

export const annotationPrefix = 'snowgauge.io/';

/** Limit for entries of `snowgauge.io/labels` and `snowgauge.io/tag-sets`: more than a target may have. */
const maxGiven = 101;

/** Labels of Kubernetes and Prometheus that identify where a node runs: a pod must not pretend to be another. */
const reserved: ReadonlySet<string> = new Set([
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

type Annotations = Readonly<Record<string, string>>;
type Given = readonly (readonly [string, string])[];

/** `leftOut`: a message about parts that are not used. */
export const givenBy = (annotations: Annotations): { readonly labels: Given; readonly leftOut?: string } => {
  const written = writtenLabels(annotations);
  const labels = [...written.filter(([name]) => !reserved.has(name)), ...settingsOf(annotations)];
  const names = new Set(written.flatMap(([name]) => (reserved.has(name) ? [name] : [])));
  if (names.size === 0) return { labels };
  return { labels, leftOut: `${annotationPrefix}labels may not set ${[...names].join(', ')}: set them with relabelings` };
};

const writtenLabels = (annotations: Annotations): Given =>
  (annotations[`${annotationPrefix}labels`] ?? '').split(',', maxGiven).flatMap((part) => {
    const [name = '', ...value] = part.split('=');
    return value.length === 0 || name.trim().startsWith('__') ? [] : [[name.trim(), value.join('=').trim()] as const];
  });

const settingsOf = (annotations: Annotations): Given =>
  settings.flatMap(([name, label]) => {
    const value = annotations[annotationPrefix + name]?.split(';', maxGiven).join(';');
    return value === undefined ? [] : [[label, value] as const];
  });
