// Where the node keeps what it accepted: ordered keys, and writes that happen whole or not at all. LevelDB on disk, a map in
// memory; test/contract/store.ts says what both must do.

export interface Put {
  readonly key: string;
  readonly value: Uint8Array;
}

export interface Removal {
  readonly key: string;
  readonly value?: undefined;
}

export type Change = Put | Removal;

/** Every function rejects with a StoreFailure, and with nothing else. */
export interface Store {
  readonly get: (key: string) => Promise<Buffer | undefined>;
  readonly has: (keys: readonly string[]) => Promise<readonly boolean[]>;
  /** The values of numberedKey(table, first) to numberedKey(table, first + count - 1), without the missing ones. */
  readonly numbered: (table: string, first: number, count: number) => Promise<readonly Buffer[]>;
  /** What `get` and `numbered` gave, each once: nobody reads it any more, and its memory need not wait for the garbage collector. */
  readonly release: (values: readonly Buffer[]) => void;
  /** All of them or none, and on the disk when it resolves. After one that rejected, all reject until `recover`. */
  readonly write: (changes: readonly Change[]) => Promise<void>;
  /** Makes a store whose write failed writable again. Only then is it known whether that write came through. */
  readonly recover: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The disk is full or broken, or the database closed: its own sentence. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
}

/** A directory that cannot be used is the operator's to mend: a sentence, not an exception. */
export type OpenedStore = { readonly kind: 'ok'; readonly store: Store } | { readonly kind: 'refused'; readonly message: string };

const digits = 16;

/** Keys of one table sort by their number. */
export const numberedKey = (table: string, number: number): string => `${table}:${number.toString().padStart(digits, '0')}`;
