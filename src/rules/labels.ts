// Settings that are lists of labels, such as `identity`.

export const labelsIn = (text: string): readonly string[] => text.split(/, */);

/** Several as one list, each label once. */
export const labelsOf = (...lists: readonly string[]): string => [...new Set(lists.flatMap(labelsIn))].join(', ');
