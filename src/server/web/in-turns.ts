// Work for many addresses, one piece after the other, in turns between addresses: whoever asks for much waits behind their own, and
// everybody else for one piece of it.

export interface Places {
  /** Pieces of an address, that which runs included. */
  readonly each: number;
  /** Addresses for which something waits or runs. */
  readonly addresses: number;
}

/** Undefined where there is no place. A fault in the work is a fault of ours, and ends the process. */
export const createInTurns = ({ each, addresses }: Places) => {
  // In the order of their turns: the first piece of the first address runs.
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
