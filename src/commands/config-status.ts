// The status of the configuration, as metric, page, API and probe say it: one value that is replaced when anything of it changes.

import type { Reload } from '../metrics/own.ts';
import type { Configuration } from '../server/configuration.ts';

interface Current {
  readonly configuration: Configuration;
  readonly reload: Reload;
}

export interface ConfigStatus {
  readonly current: () => Current;
  readonly accept: (at: number, needRestart: readonly string[]) => void;
  readonly refuse: (at: number, errors: readonly string[]) => void;
}

export const configStatus = (source: string, loadedAt: number): ConfigStatus => {
  const withReload = (configuration: Configuration): Current => ({
    configuration,
    reload: { successful: configuration.refused === undefined, succeededAt: configuration.loadedAt },
  });
  let current = withReload({ source, loadedAt, needRestart: [] });
  return {
    current: () => current,
    accept: (at, needRestart) => {
      current = withReload({ source, loadedAt: at, needRestart });
    },
    refuse: (at, errors) => {
      const { configuration } = current;
      current = withReload({ ...configuration, refused: { at: configuration.refused?.at ?? at, errors } });
    },
  };
};
