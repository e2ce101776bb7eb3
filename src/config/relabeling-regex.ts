// Whether the expressions of relabelings are those of Go: looked at with the library that runs them, which nobody else loads.

import type { ConfigError } from '../yaml/parse.ts';
import type { DiscoveryConfig } from './discovery.ts';
import { wholeMatch } from './relabeling.ts';

export const regexErrors = async ({ file, http, dns, kubernetes }: DiscoveryConfig): Promise<readonly ConfigError[]> => {
  const found = Object.entries({ file, http, dns, kubernetes }).flatMap(([kind, list]) =>
    list.flatMap(({ relabelings }, at) =>
      relabelings.flatMap(({ regex }, place) =>
        regex === undefined ? [] : [{ path: `discovery.${kind}[${at}].relabelings[${place}].regex`, regex }],
      ),
    ),
  );
  if (found.length === 0) return [];
  const { RE2JS } = await import('re2js');
  return found.flatMap(({ path, regex }) => {
    try {
      RE2JS.compile(wholeMatch(regex));
      return [];
    } catch (error) {
      const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : '';
      return [{ path, message: `is not an expression of RE2: ${why}` }];
    }
  });
};
