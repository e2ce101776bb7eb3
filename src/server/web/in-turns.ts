// A fair queue: runs one task at a time, round-robin between client addresses, so that an address with many tasks delays others by only one.

export interface QueueLimits {
  /** Maximum number of tasks per address, including the running one. */
  readonly each: number;
  /** Maximum number of addresses with tasks. */
  readonly addresses: number;
}

/** Returns undefined if the queue is full. An exception in a task is a bug, and ends the process. */
export const createInTurns = ({ each, addresses }: QueueLimits) => {
  // In round-robin order: the first task of the first address is running.
  const waiting = new Map<string, (() => Promise<void>)[]>();
  const run = async (): Promise<void> => {
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      const [address, pieces] = next;
      await pieces[0]?.();
      pieces.shift();
      waiting.delete(address);
      if (pieces.length > 0) waiting.set(address, pieces);
    }
  };
  return <T>(address: string, work: () => Promise<T>): Promise<T> | undefined => {
    const own = waiting.get(address) ?? [];
    if (own.length >= each || (own.length === 0 && waiting.size >= addresses)) return undefined;
    const done = new Promise<T>((resolve) => own.push(async () => resolve(await work())));
    const isFirst = waiting.size === 0;
    waiting.set(address, own);
    if (isFirst) void run();
    return done;
  };
};
