// Key-value store for what the node accepted, with atomic writes. LevelDB on disk, a map in
// memory; test/contract/store.ts tests what both must do.

export interface Put {
  readonly key: string;
  readonly value: Uint8Array;
}

/** Every function rejects only with a StoreFailure. */
export interface Store {
  readonly get: (key: string) => Promise<Buffer | undefined>;
  /** A value, or undefined, for each key. */
  readonly getMany: (keys: readonly string[]) => Promise<readonly (Buffer | undefined)[]>;
  /** Atomic, and on the disk when it resolves. After a rejection, all writes reject until `recover`. */
  readonly write: (puts: readonly Put[]) => Promise<void>;
  /** Makes a store writable again after a failed write. Only then is it known whether that write was applied. */
  readonly recover: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The disk is full or broken, or the database closed; with the store's own message. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
}

/** The operator has to fix an unusable directory: a message, not an exception. `damage`: what opening dropped, and why. */
export type OpenedStore =
  | { readonly kind: 'ok'; readonly store: Store; readonly damage?: string | undefined }
  | { readonly kind: 'refused'; readonly message: string };
