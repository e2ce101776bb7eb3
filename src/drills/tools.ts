// Finds Prometheus and Alertmanager on this machine.

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

export interface Tools {
  readonly prometheus: string;
  /** Without Alertmanager, notifications are not judged. */
  readonly alertmanager?: string;
}

type ToolLookup = { readonly kind: 'ok'; readonly tools: Tools } | { readonly kind: 'missing'; readonly text: string };

/** Names of the executables: as built by the tools of CONTRIBUTING.md, upstream, and in Debian. */
const names: Readonly<Record<keyof Tools, readonly string[]>> = {
  prometheus: ['prometheus3', 'prometheus'],
  alertmanager: ['alertmanager', 'prometheus-alertmanager'],
};

/** The given path, otherwise the first on PATH, otherwise the first in the cache that `.ci/tools` builds into. */
export const findTools = async (
  given: Partial<Tools>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ToolLookup> => {
  const cache = join(env.XDG_CACHE_HOME || join(env.HOME ?? '', '.cache'), 'snowgauge', 'bin');
  const folders = [...(env.PATH ?? '').split(delimiter).filter((folder) => folder !== ''), cache];
  const find = async (tool: keyof Tools): Promise<string | undefined> => {
    const wanted = given[tool];
    const paths = wanted === undefined ? names[tool].flatMap((name) => folders.map((folder) => join(folder, name))) : [wanted];
    for (const path of paths) if (await isProgram(path)) return path;
    return undefined;
  };
  const [prometheus, alertmanager] = [await find('prometheus'), await find('alertmanager')];
  if (prometheus === undefined) return missing('prometheus', given);
  if (alertmanager !== undefined) return { kind: 'ok', tools: { prometheus, alertmanager } };
  return given.alertmanager === undefined ? { kind: 'ok', tools: { prometheus } } : missing('alertmanager', given);
};

const missing = (tool: keyof Tools, given: Partial<Tools>): ToolLookup => {
  const why =
    given[tool] === undefined
      ? `no ${tool} on the PATH (looked for ${names[tool].join(', ')})`
      : `--${tool}: ${JSON.stringify(given[tool])} is not an executable file`;
  return { kind: 'missing', text: `snowgauge drill: ${why}\n${remedy}\n` };
};

const remedy = `A drill runs a real Prometheus (2.42 or later), and a real Alertmanager (0.25 or later) if there is one. Install both (Debian:
apt-get install prometheus prometheus-alertmanager), unpack a release of each and name them with --prometheus FILE and --alertmanager
FILE, or, in a clone, build them with .ci/tools/prometheus3.sh.`;

const isProgram = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
