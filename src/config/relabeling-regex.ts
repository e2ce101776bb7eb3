// Checks the regular expressions of relabelings, which are those of Go.

import { type Path, valueAt } from '../yaml/path.ts';
import { discoveryKinds, maxSources } from './discovery.ts';
import { loadRegexFault, ofWholeValue } from './regex.ts';
import { maxRelabelings, maxTextLength } from './relabeling.ts';

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
  const faultOf = await loadRegexFault();
  return found.flatMap(({ path, regex }) => {
    const message = faultOf(ofWholeValue(regex));
    return message === undefined ? [] : [{ path, message }];
  });
};

const listAt = (value: unknown, path: Path, max: number): readonly unknown[] => {
  const list = valueAt(value, path);
  return Array.isArray(list) ? list.slice(0, max) : [];
};
