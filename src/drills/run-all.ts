// Runs several drills, some in parallel, each with ports of its own.

import { setMaxListeners } from 'node:events';
import { ChildFault } from './child.ts';
import type { Drill } from './drill.ts';
import { type Judged, judgeDrill } from './judge.ts';
import { runDrill } from './run-drill.ts';
import type { StageDeps } from './stage.ts';
import type { Tools } from './tools.ts';

interface Deps extends StageDeps {
  readonly stderr: (text: string) => void;
  /** Progress is written to stderr if it is a terminal. */
  readonly stderrIsTerminal?: boolean;
}

export type Ended =
  | { readonly kind: 'done'; readonly judged: readonly Judged[] }
  | { readonly kind: 'fault'; readonly text: string };

const erase = '\r\u001b[K';
const width = 24;

/** `onJudged` is called when each drill ends. */
export const runAll = async (
  wanted: readonly Drill[],
  jobs: number,
  tools: Tools,
  deps: Deps,
  onJudged: (judged: Judged) => void,
): Promise<Ended> => {
  const { stderr, stderrIsTerminal } = deps;
  // The first error stops all drills: no child process may outlive the command.
  const stop = new AbortController();
  const signal = AbortSignal.any([deps.signal, stop.signal]);
  setMaxListeners(0, signal);
  const waiting = [...wanted];
  const done: Judged[] = [];
  const phases = new Map<string, string>();
  let fault: string | undefined;
  const show = (): void => {
    if (stderrIsTerminal !== true) return;
    const filled = Math.round((done.length / wanted.length) * width);
    const bar = `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${done.length} of ${wanted.length}`;
    const [[name, phase] = ['', ''], ...others] = phases;
    const more = others.length === 0 ? '' : `, and ${others.length} more`;
    stderr(`${erase}${bar}  ${name}${name === '' ? '' : `: ${phase}${more}`}`);
  };
  const work = async (): Promise<void> => {
    for (let drill = waiting.shift(); drill !== undefined; drill = waiting.shift()) {
      if (signal.aborted) return;
      const { name } = drill;
      try {
        const measured = await runDrill(drill, tools, { ...deps, signal }, (phase) => {
          phases.set(name, phase);
          show();
        });
        if (signal.aborted) return;
        const judged = judgeDrill(drill, measured);
        done.push(judged);
        if (stderrIsTerminal === true) stderr(erase);
        onJudged(judged);
      } catch (error) {
        stop.abort();
        if (!(error instanceof ChildFault)) throw error;
        fault ??= error.message;
      } finally {
        phases.delete(name);
        show();
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(jobs, wanted.length) }, work));
  const [broken] = ended.flatMap((one) => (one.status === 'rejected' ? [one] : []));
  if (broken !== undefined) throw broken.reason;
  if (stderrIsTerminal === true) stderr(erase);
  if (fault !== undefined) return { kind: 'fault', text: fault };
  const order = wanted.map(({ name }) => name);
  return { kind: 'done', judged: done.sort((a, b) => order.indexOf(a.drill.name) - order.indexOf(b.drill.name)) };
};
