// The exporter of a drill, as `snowgauge run` starts it: from a file, which it loads again when it changes.

import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { loadConfig } from '../../config/load.ts';
import { silentLog } from '../../log.ts';
import type { IndexName } from '../../protocol/paths.ts';
import { formatMistakes, type Mistake } from '../../yaml/parse.ts';
import { readText } from '../read-text.ts';
import { keepLoaded } from '../reload.ts';
import { serve } from '../serve.ts';
import { pace } from './pace.ts';
import type { StageDeps } from './stage.ts';

export interface TagSetText {
  readonly name: string;
  readonly tags?: readonly string[];
}

export interface Drilled {
  /** Where its page is; undefined once it has been stopped. */
  readonly url: () => string | undefined;
  /** Writes its file anew. */
  readonly reconfigure: (tagSets: readonly TagSetText[]) => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface Given {
  readonly file: string;
  readonly nodes: readonly { readonly url: string }[];
  readonly tagSets: readonly TagSetText[];
  readonly indexes: readonly IndexName[] | undefined;
}

export const startDrilled = async (
  { file, nodes, tagSets, indexes }: Given,
  { now, version }: Pick<StageDeps, 'now' | 'version'>,
): Promise<Drilled> => {
  const write = async (sets: readonly TagSetText[]): Promise<void> => {
    const targets = nodes.map(({ url }, at) => ({
      name: `node-${at + 1}`,
      url,
      healthCheckFrequency: `${pace.cadence}s`,
      timeout: '900ms',
      tagSets: sets,
      indexes: indexes ?? ['P/block', 'C/block'],
    }));
    await writeFile(`${file}.new`, JSON.stringify({ targets }));
    await rename(`${file}.new`, file);
  };
  await write(tagSets);
  const loaded = await loadConfig({ file, env: {}, readFile: readText, fileExists: existsSync });
  if (loaded.kind === 'invalid') throw fault(loaded.mistakes);
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const deps = { now, version, log: silentLog, signal: stop.signal, env: {} };
  const serving = await serve({ ...loaded.value, source: file, listen: { host: '127.0.0.1', port: 0 } }, deps);
  if (serving.kind === 'invalid') throw fault(serving.mistakes);
  const kept = keepLoaded({ loaded, serving }, deps);
  return {
    url: () => (stop.signal.aborted ? undefined : serving.url),
    reconfigure: write,
    stop: async () => {
      stop.abort();
      await Promise.all([serving.finished, kept]);
    },
  };
};

const fault = (mistakes: readonly Mistake[]): Error => new Error(formatMistakes('the exporter of the drill', mistakes));
