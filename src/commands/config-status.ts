// Status of the configuration, for metric, page, API and probe: one immutable value, replaced with each change.

import type { ReloadStatus } from '../metrics/own.ts';
import type { Configuration } from '../server/configuration.ts';

interface Current {
  readonly configuration: Configuration;
  readonly reload: ReloadStatus;
}

export const configStatus = (source: string, loadedAt: number) => {
  const withReload = (configuration: Configuration): Current => ({
    configuration,
    reload: { successful: configuration.refused === undefined, succeededAt: configuration.loadedAt },
  });
  let current = withReload({ source, loadedAt, needRestart: [] });
  return {
    current: (): Current => current,
    accept: (at: number, needRestart: readonly string[]): void => {
      current = withReload({ source, loadedAt: at, needRestart });
    },
    refuse: (at: number, errors: readonly string[]): void => {
      const { configuration } = current;
      current = withReload({ ...configuration, refused: { at: configuration.refused?.at ?? at, errors } });
    },
  };
};
