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
  let web: Configuration['refused'];
  const withReload = (): Current => {
    const refused =
      own.refused && web
        ? { at: Math.min(own.refused.at, web.at), errors: [...own.refused.errors, ...web.errors] }
        : (own.refused ?? web);
    const configuration = { ...own, ...(refused && { refused }) };
    return { configuration, reload: { successful: refused === undefined, succeededAt: own.loadedAt } };
  };
  let current = withReload();
  return {
    current: (): Current => current,
    accept: (at: number, needRestart: readonly string[]): void => {
      own = { source, loadedAt: at, needRestart };
      current = withReload();
    },
    refuse: (at: number, errors: readonly string[]): void => {
      own = { ...own, refused: { at: own.refused?.at ?? at, errors } };
      current = withReload();
    },
    /** All errors of the web configuration and its certificates now. */
    setWebErrors: (at: number, errors: readonly string[]): void => {
      web = errors.length === 0 ? undefined : { at: web?.at ?? at, errors };
      current = withReload();
    },
  };
};
