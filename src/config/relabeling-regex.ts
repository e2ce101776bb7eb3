// The expressions of relabelings are those of Go: looked at with the library that runs them, which nobody else loads.

import type { ConfigError } from '../yaml/parse.ts';
import type { DiscoveryConfig } from './discovery.ts';

/** Throws where the text is no expression of RE2. What Go wraps around it makes it match the whole value. */
export const loadRegexCompiler = async () => {
  const { RE2JS } = await import('./re2.ts');
  return (regex: string) => RE2JS.compile(`^(?s:${regex})$`);
};

export type Regex = ReturnType<Awaited<ReturnType<typeof loadRegexCompiler>>>;

export const regexErrors = async ({ file, http, dns, kubernetes }: DiscoveryConfig): Promise<readonly ConfigError[]> => {
  const found = Object.entries({ file, http, dns, kubernetes }).flatMap(([kind, list]) =>
    list.flatMap(({ relabelings }, at) =>
      relabelings.flatMap(({ regex }, place) =>
        regex === undefined ? [] : [{ path: `discovery.${kind}[${at}].relabelings[${place}].regex`, regex }],
      ),
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
