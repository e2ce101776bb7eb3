// Relative paths in a configuration file start at its folder, as in Prometheus. So they name the same files wherever the process is started.

import { dirname, isAbsolute, join } from 'node:path';
import type { Config } from './types.ts';

/** The folder at which relative paths in this file start. Undefined if the file is redirected or a pipe: then it has no folder. */
export const pathsStartAt = (file: string): string | undefined => (/^\/(?:dev|proc)\//.test(file) ? undefined : dirname(file));

interface Files {
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
  readonly authorization?: { readonly credentialsFile: string };
}

/** Resolves all relative paths. `isOutside`: the setting at this path comes from a variable, so it stays relative to the working directory. */
export const inFolder = (config: Config, folder: string, isOutside: (setting: string) => boolean): Config => {
  const from = (path: string): string => (isAbsolute(path) ? path : join(folder, path));
  const at = <K extends string>(of: { readonly [P in K]?: string }, setting: K, parent = ''): { readonly [P in K]?: string } => {
    const path = of[setting];
    return path === undefined || isOutside(`${parent}${setting}`) ? {} : ({ [setting]: from(path) } as { [P in K]: string });
  };
  /** Returns the same object if it names no file, as most of a thousand targets do. */
  const withFiles = <T extends Files>(one: T): T => {
    const { tls, authorization } = one;
    if (tls === undefined && authorization === undefined) return one;
    return {
      ...one,
      ...(tls && { tls: { ...tls, ...at(tls, 'caFile'), ...at(tls, 'certFile'), ...at(tls, 'keyFile') } }),
      ...(authorization && { authorization: { ...authorization, ...at(authorization, 'credentialsFile') } }),
    };
  };
  const ofTarget = <T extends { readonly client: Files }>(one: T): T => {
    const client = withFiles(one.client);
    return client === one.client ? one : { ...one, client };
  };
  const { maintenance, kubernetes, probe, discovery, targets } = config;
  return {
    ...config,
    ...at(config, 'stateDir'),
    maintenance: { ...maintenance, ...at(maintenance, 'tokenFile', 'maintenance.') },
    kubernetes: {
      ...kubernetes,
      ...at(kubernetes, 'injectionRevisionFile', 'kubernetes.'),
      ...at(kubernetes, 'podInfoDir', 'kubernetes.'),
      ...at(kubernetes, 'serviceAccountDir', 'kubernetes.'),
    },
    probe: { ...probe, modules: probe.modules.map((one) => ({ ...one, target: ofTarget(one.target) })) },
    targets: targets.map(ofTarget),
    discovery: {
      ...discovery,
      target: withFiles(discovery.target),
      file: discovery.file.map((one) => ({ ...one, files: one.files.map(from) })),
      http: discovery.http.map(withFiles),
    },
  };
};
