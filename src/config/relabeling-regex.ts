// The expressions of relabelings are those of Go: looked at with the library that runs them, which nobody else loads.

import { type Path, valueAt } from '../yaml/path.ts';
import { discoveryKinds, maxSources } from './discovery.ts';
import { longestText, maxRelabelings } from './relabeling.ts';

/** Throws where the text is no expression of RE2. What Go wraps around it makes it match the whole value. */
export const loadRegexCompiler = async () => {
  const { RE2JS } = await import('./re2.ts');
  return (regex: string) => RE2JS.compile(`^(?s:${regex})$`);
};

export type Regex = ReturnType<Awaited<ReturnType<typeof loadRegexCompiler>>>;

/** Of a text as it was written: as many as a configuration may have. */
export const regexFaults = async (config: unknown) => {
  const found = discoveryKinds.flatMap((kind) =>
    listAt(config, ['discovery', kind], maxSources).flatMap((_, at) =>
      listAt(config, ['discovery', kind, at, 'relabelings'], maxRelabelings).flatMap((relabeling, place) => {
        const regex = valueAt(relabeling, ['regex']);
        const path = ['discovery', kind, at, 'relabelings', place, 'regex'];
        return typeof regex === 'string' && regex.length <= longestText ? [{ path, regex }] : [];
      }),
    ),
  );
  if (found.length === 0) return [];
  const compile = await loadRegexCompiler();
  return found.flatMap(({ path, regex }) => {
    try {
      compile(regex);
      return [];
    } catch (error) {
      // What follows in its message quotes the expression.
      const why = error instanceof Error ? error.message.replace(/^error parsing regexp: |: `.*/gs, '') : '';
      return [{ path, message: `is not an RE2 expression: ${why}` }];
    }
  });
};

const listAt = (value: unknown, path: Path, most: number): readonly unknown[] => {
  const list = valueAt(value, path);
  return Array.isArray(list) ? list.slice(0, most) : [];
};
