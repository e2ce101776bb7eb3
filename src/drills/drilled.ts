// The exporter of a drill, and its configuration file.

import { setMaxListeners } from 'node:events';
import { rename, writeFile } from 'node:fs/promises';
import type { IndexName } from '../protocol/paths.ts';
import { pace } from './pace.ts';

/** Like `snowgauge run`: reads the file, reloads it when it changes, and listens on a free port of this machine until the signal. */
export type StartExporter = (
  file: string,
  signal: AbortSignal,
) => Promise<{ readonly url: string; readonly finished: Promise<void> }>;

export interface TagSetText {
  readonly name: string;
  readonly tags?: readonly string[];
}

export type Drilled = Awaited<ReturnType<typeof startDrilled>>;

interface Given {
  readonly file: string;
  readonly nodes: readonly { readonly url: string; readonly nodeId: string }[];
  readonly tagSets: readonly TagSetText[];
  readonly indexes: readonly IndexName[] | undefined;
  readonly expectsNodeIds?: true | undefined;
  readonly expectsValidators?: true | undefined;
}

export const startDrilled = async (given: Given, startExporter: StartExporter) => {
  const { file, nodes, tagSets, indexes, expectsNodeIds, expectsValidators } = given;
  /** Replaces its configuration file. */
  const write = async (sets: readonly TagSetText[]): Promise<void> => {
    const targets = nodes.map(({ url, nodeId }, at) => ({
      name: `node-${at + 1}`,
      url,
      ...(expectsNodeIds === true && { nodeId }),
      ...(expectsValidators === true && { validator: { expected: true } }),
      healthCheckFrequency: `${pace.interval}s`,
      timeout: '900ms',
      tagSets: sets,
      indexes: indexes ?? ['P/block', 'C/block'],
    }));
    await writeFile(`${file}.new`, JSON.stringify({ targets }));
    await rename(`${file}.new`, file);
  };
  await write(tagSets);
  const start = async () => {
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    return { stop, ...(await startExporter(file, stop.signal)) };
  };
  let running = await start();
  const stopOf = (one: typeof running) => async (): Promise<void> => {
    one.stop.abort();
    await one.finished;
  };
  return {
    /** The URL of its page. Undefined once it has been stopped. */
    url: (): string | undefined => (running.stop.signal.aborted ? undefined : running.url),
    reconfigure: write,
    stop: (): Promise<void> => stopOf(running)(),
    /** Starts another exporter with the same configuration on another port. Resolves with a function that stops the previous one. */
    replace: async (): Promise<() => Promise<void>> => {
      const before = running;
      running = await start();
      return stopOf(before);
    },
  };
};
