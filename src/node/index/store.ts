// Where the node keeps what it accepted: values by key, and writes that happen whole or not at all. LevelDB on disk, a map in
// memory; test/contract/store.ts says what both must do.

export interface Put {
  readonly key: string;
  readonly value: Uint8Array;
}

/** Every function rejects with a StoreFailure, and with nothing else. */
export interface Store {
  readonly get: (key: string) => Promise<Buffer | undefined>;
  /** A value, or undefined, for each key. */
  readonly getMany: (keys: readonly string[]) => Promise<readonly (Buffer | undefined)[]>;
  readonly has: (keys: readonly string[]) => Promise<readonly boolean[]>;
  /** All of them or none, and on the disk when it resolves. After one that rejected, all reject until `recover`. */
  readonly write: (puts: readonly Put[]) => Promise<void>;
  /** Makes a store whose write failed writable again. Only then is it known whether that write came through. */
  readonly recover: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The disk is full or broken, or the database closed: its own sentence. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
}

/** A directory that cannot be used is the operator's to mend: a sentence, not an exception. `damage`: what opening it dropped, and why. */
export type OpenedStore =
  | { readonly kind: 'ok'; readonly store: Store; readonly damage?: string | undefined }
  | { readonly kind: 'refused'; readonly message: string };
