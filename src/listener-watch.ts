// Watches the listening sockets of nodes to which there is no idle connection. For other nodes, the end of the idle connection shows that
// the process has ended. The socket is checked once a second, so that a node is polled at once after its process has ended or was replaced,
// and not only when the next poll is due.

import type { Targets } from './conditions/condition.ts';
import type { Entry } from './entry.ts';

export interface ListenerWatch {
  readonly targets: Targets;
  readonly entries: ReadonlyMap<string, Entry>;
  /** As in ExporterDependencies. */
  readonly listener: (url: string) => Promise<string | undefined>;
  /** Called if a different socket listens than after the last poll, or none. */
  readonly onChanged: (name: string) => void;
}

/** Returns a function that must be called once a second. It starts no second check before the first has ended. */
export const listenerWatch = ({ targets, entries, listener, onChanged }: ListenerWatch): (() => void) => {
  let checking = false;
  const check = async (): Promise<void> => {
    for (const [name, { state }] of [...targets]) {
      const { process, listener: last, options } = state;
      if (process.state !== 'reported' || last === undefined || entries.get(name)?.client.keepsIdle() !== false) continue;
      const found = await listener(options.url);
      // If there was a poll meanwhile, it has checked the socket itself.
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
