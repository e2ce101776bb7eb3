// After a reload, unchanged parts of targets are the same objects as before. So a thousand targets can be compared by reference in one iteration
// of the event loop.

import { isDeepStrictEqual } from 'node:util';
import { yieldToEventLoop } from '../pause.ts';
import type { TargetConfig } from './target.ts';

/** Targets per iteration of the event loop. */
const maxPerIteration = 50;

/** Returns `after`, in which parts that are equal are replaced by those of the target with the same name in `before`. */
export const sharing = async (
  before: readonly TargetConfig[],
  after: readonly TargetConfig[],
): Promise<readonly TargetConfig[]> => {
  const known = new Map(before.map((target) => [target.options.name, target]));
  const shared: TargetConfig[] = [];
  for (const target of after) {
    const was = known.get(target.options.name);
    shared.push(
      was === undefined
        ? target
        : { options: withPartsOf(was.options, target.options), client: withPartsOf(was.client, target.client) },
    );
    if (shared.length % maxPerIteration === 0) await yieldToEventLoop();
  }
  return shared;
};

const withPartsOf = <T extends object>(before: T, after: T): T => {
  const names = Object.keys(after);
  const equal = names.filter((name) => isDeepStrictEqual(Reflect.get(before, name), Reflect.get(after, name)));
  if (equal.length === names.length && names.length === Object.keys(before).length) return before;
  return { ...after, ...Object.fromEntries(equal.map((name) => [name, Reflect.get(before, name)])) };
};
