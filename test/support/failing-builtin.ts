// Makes a function of a built-in module fail until the end of the test, for faults that a test cannot cause for its own process alone.

import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished } from 'vitest';

export const failBuiltin = <Name extends string>(module: Record<Name, unknown>, name: Name, fail: () => unknown): void => {
  const original = module[name];
  const put = (value: unknown): void => {
    module[name] = value;
    syncBuiltinESMExports();
  };
  put(fail);
  onTestFinished(() => put(original));
};
