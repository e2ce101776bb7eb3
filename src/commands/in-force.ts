// What configuration is in force, as metric, page, API and probe say it: one object that is replaced when anything of it changes.

import type { Reload } from '../metrics/own.ts';
import type { Configuration } from '../server/configuration.ts';

export interface InForce {
  readonly configuration: () => Configuration;
  readonly reload: () => Reload;
  readonly accept: (at: number, needRestart: readonly string[]) => void;
  readonly refuse: (at: number, errors: readonly string[]) => void;
}

export const inForce = (source: string, loadedAt: number): InForce => {
  let configuration: Configuration = { source, loadedAt, needRestart: [] };
  let reload: Reload = { successful: true, succeededAt: loadedAt };
  const become = (next: Configuration): void => {
    configuration = next;
    reload = { successful: next.refused === undefined, succeededAt: next.loadedAt };
  };
  return {
    configuration: () => configuration,
    reload: () => reload,
    accept: (at, needRestart) => become({ source, loadedAt: at, needRestart }),
    refuse: (at, errors) => {
      const { refused, ...before } = configuration;
      become({ ...before, refused: { at: refused?.at ?? at, errors } });
    },
  };
};
