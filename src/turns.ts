// A fair queue of requests. Each iteration of the event loop handles requests for one millisecond, one request per client address in
// rotation. So polls and probes run in between, however many requests one client sends.

/**
 * `known`: the connection had a response before. `new`: it had none yet. Each kind has its own queue per address. New connections are
 * served newest first, because a kubelet opens one for each probe. If more arrive than can be served, the oldest are closed.
 */
export type ConnectionKind = 'new' | 'known';

/**
 * Calls the task in the rotation of addresses. If the task returns a promise, the next task waits until it settles, up to a limit. Returns
 * a function that removes the task from the queue.
 */
export type FairQueue = (address: string, task: () => unknown, kind?: ConnectionKind) => () => void;

/** Milliseconds of tasks per iteration of the event loop. */
const budgetMs = 1;

/** Milliseconds that all other tasks wait for the promise of one. */
const defaultMaxPromiseMs = 1000;

/** While new connections arrive, tasks wait for at most 4 ms, or for 16 iterations if these take longer on a busy machine. */
const maxPostponed = { ms: 4, iterations: 16 } as const;

/**
 * Counts accepted connections. Node.js accepts one connection per listener and iteration, in the order of the kernel's queue. If a client
 * opens hundreds, the next client waits for hundreds of iterations, so most of those iterations should do nothing else.
 */
export interface Arrivals {
  readonly came: () => void;
  /** The number of connections so far. */
  readonly count: () => number;
}

export const createArrivals = (): Arrivals => {
  let count = 0;
  return {
    came: () => {
      count += 1;
    },
    count: () => count,
  };
};

/** Callers keep at most one task per connection in the queue. `now`: milliseconds. */
export const createFairQueue = (
  { count }: Pick<Arrivals, 'count'> = createArrivals(),
  now: () => number = () => performance.now(),
  maxPromiseMs = defaultMaxPromiseMs,
): FairQueue => {
  // A map keeps the order of insertion: the first queue is served next.
  const queues = new Map<string, TasksOfAddress>();
  let isScheduled = false;
  let lastCount = 0;
  let [iterations, since] = [0, 0];
  const isPostponed = (): boolean => {
    const before = lastCount;
    lastCount = count();
    if (iterations === 0) since = now();
    iterations += 1;
    const isEnough = iterations > maxPostponed.iterations && now() - since >= maxPostponed.ms;
    if (lastCount === before || isEnough) iterations = 0;
    return iterations > 0;
  };
  const next = (): (() => unknown) | undefined => {
    const [first] = queues;
    if (first === undefined) return undefined;
    const [key, tasks] = first;
    const task = tasks.next();
    queues.delete(key);
    if (tasks.size() > 0) queues.set(key, tasks);
    return task;
  };
  const run = (): void => {
    if (isPostponed()) {
      setImmediate(run);
      return;
    }
    const until = now() + budgetMs;
    do {
      const result = next()?.();
      if (result instanceof Promise) {
        waitFor(result);
        return;
      }
    } while (queues.size > 0 && now() < until);
    scheduleNext();
  };
  const waitFor = (promise: Promise<unknown>): void => {
    let isOver = false;
    const over = (): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      scheduleNext();
    };
    const timer = setTimeout(over, maxPromiseMs);
    promise.then(over, over);
  };
  const scheduleNext = (): void => {
    isScheduled = false;
    if (queues.size > 0) schedule();
  };
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(run);
  };
  return (address, task, kind = 'known') => {
    const key = `${kind} ${address}`;
    const tasks = queues.get(key) ?? tasksOfAddress(kind);
    queues.set(key, tasks);
    const cancel = tasks.add(task);
    schedule();
    return () => {
      cancel();
      if (tasks.size() === 0 && queues.get(key) === tasks) queues.delete(key);
    };
  };
};

type TasksOfAddress = ReturnType<typeof tasksOfAddress>;

interface Waiting {
  /** Undefined once the task was called or cancelled. */
  task: (() => unknown) | undefined;
}

/**
 * The tasks of one address and kind of connection. New connections are served last in, first out; known connections first in, first out.
 */
const tasksOfAddress = (kind: ConnectionKind) => {
  let waiting: Waiting[] = [];
  let size = 0;
  const taken = (one: Waiting): (() => unknown) | undefined => {
    const { task } = one;
    if (task === undefined) return undefined;
    one.task = undefined;
    size -= 1;
    return task;
  };
  return {
    size: () => size,
    next: (): (() => unknown) | undefined => {
      let task: (() => unknown) | undefined;
      while (task === undefined && size > 0) {
        const one = kind === 'new' ? waiting.pop() : waiting.shift();
        task = one && taken(one);
      }
      return task;
    },
    /** Returns a function that cancels the task. */
    add: (task: () => unknown): (() => void) => {
      const added: Waiting = { task };
      waiting.push(added);
      size += 1;
      return () => {
        taken(added);
        // After a flood of connections, most tasks are cancelled: this frees their memory.
        if (waiting.length > 2 * size) waiting = waiting.filter((one) => one.task !== undefined);
      };
    },
  };
};
