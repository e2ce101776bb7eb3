// Where a node keeps no connection open that would tell of its end, who listens at its address is checked once a second: a process
// that ended, and the next one, are asked about at once and not when the next poll is due.

import type { Targets } from './conditions/condition.ts';
import type { Entry } from './entry.ts';

export interface ListenerWatch {
  readonly targets: Targets;
  readonly entries: ReadonlyMap<string, Entry>;
  /** As in ExporterDependencies. */
  readonly listener: (url: string) => Promise<string | undefined>;
  /** Another socket listens than after the last poll, or none. */
  readonly onChanged: (name: string) => void;
}

/** To be called once a second. A check that takes longer is not started again beside itself. */
export const listenerWatch = ({ targets, entries, listener, onChanged }: ListenerWatch): (() => void) => {
  let checking = false;
  const check = async (): Promise<void> => {
    for (const [name, { state }] of [...targets]) {
      const { process, listener: last, options } = state;
      if (process.state !== 'reported' || last === undefined || entries.get(name)?.client.keepsIdle() !== false) continue;
      const found = await listener(options.url);
      // A poll meanwhile has looked for itself.
      if (found !== last && targets.get(name)?.state.listener === last) onChanged(name);
    }
  };
  return () => {
    if (checking) return;
    checking = true;
    void check().finally(() => {
      checking = false;
    });
  };
};
