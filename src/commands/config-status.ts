// Status of the configuration, for metric, page, API and probe: one immutable value, replaced with each change.

import type { ReloadStatus } from '../metrics/own.ts';
import type { Configuration } from '../server/configuration.ts';

interface Current {
  readonly configuration: Configuration;
  readonly reload: ReloadStatus;
}

export const configStatus = (source: string, loadedAt: number) => {
  let own: Configuration = { source, loadedAt, needRestart: [] };
  /** Of the web configuration. */
  let web: Configuration['reloadFailure'];
  const withReload = (): Current => {
    const reloadFailure =
      own.reloadFailure && web
        ? { at: Math.min(own.reloadFailure.at, web.at), errors: [...own.reloadFailure.errors, ...web.errors] }
        : (own.reloadFailure ?? web);
    const configuration = { ...own, ...(reloadFailure && { reloadFailure }) };
    return { configuration, reload: { successful: reloadFailure === undefined, succeededAt: own.loadedAt } };
  };
  let current = withReload();
  return {
    current: (): Current => current,
    accept: (at: number, needRestart: readonly string[]): void => {
      own = { source, loadedAt: at, needRestart };
      current = withReload();
    },
    refuse: (at: number, errors: readonly string[]): void => {
      own = { ...own, reloadFailure: { at: own.reloadFailure?.at ?? at, errors } };
      current = withReload();
    },
    /** All errors of the web configuration and its certificates now. */
    setWebErrors: (at: number, errors: readonly string[]): void => {
      web = errors.length === 0 ? undefined : { at: web?.at ?? at, errors };
      current = withReload();
    },
  };
};
