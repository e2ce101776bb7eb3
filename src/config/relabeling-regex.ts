// Checks the regular expressions of relabelings, which are those of Go, with the library that runs them.

import { type Path, valueAt } from '../yaml/path.ts';
import { discoveryKinds, maxSources } from './discovery.ts';
import { maxRelabelings, maxTextLength } from './relabeling.ts';

/** The result throws if the text is not an RE2 expression. As in Prometheus, an expression must match the whole value. */
export const loadRegexCompiler = async () => {
  const { RE2JS } = await import('./re2.ts');
  return (regex: string) => RE2JS.compile(`^(?s:${regex})$`);
};

export type Regex = ReturnType<Awaited<ReturnType<typeof loadRegexCompiler>>>;

/** Errors for invalid expressions. `config`: before parsing, so the lists are cut to their maximum lengths. */
export const regexFaults = async (config: unknown) => {
  const found = discoveryKinds.flatMap((kind) =>
    listAt(config, ['discovery', kind], maxSources).flatMap((_, source) =>
      listAt(config, ['discovery', kind, source, 'relabelings'], maxRelabelings).flatMap((relabeling, rule) => {
        const regex = valueAt(relabeling, ['regex']);
        const path = ['discovery', kind, source, 'relabelings', rule, 'regex'];
        return typeof regex === 'string' && regex.length <= maxTextLength ? [{ path, regex }] : [];
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
      // The rest of the message quotes the expression.
      const why = error instanceof Error ? error.message.replace(/^error parsing regexp: |: `.*/gs, '') : '';
      return [{ path, message: `is not an RE2 expression: ${why}` }];
    }
  });
};

const listAt = (value: unknown, path: Path, max: number): readonly unknown[] => {
  const list = valueAt(value, path);
  return Array.isArray(list) ? list.slice(0, max) : [];
};
