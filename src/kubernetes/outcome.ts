// How a patch of the own pod ended: a closed list, which is a metric's label.

export const patchOutcomes = [
  'ok',
  'unauthorized',
  'forbidden',
  'not-found',
  'http-status',
  'malformed',
  'tls',
  'timeout',
  'unreachable',
] as const;

export type PatchOutcome =
  /** The labels under our prefix that the pod has now. */
  | { readonly kind: 'ok'; readonly labels: ReadonlyMap<string, string> }
  /** One line; never holds a credential. */
  | { readonly kind: Exclude<(typeof patchOutcomes)[number], 'ok'>; readonly reason: string };

/** Null takes a label or an annotation away. */
export interface PodPatch {
  readonly labels: Readonly<Record<string, string | null>>;
  readonly annotations: Readonly<Record<string, string | null>>;
}

/** Never rejects; ends with the deadline at the latest. */
export type PatchPod = (patch: PodPatch, deadlineMs: number, signal: AbortSignal) => Promise<PatchOutcome>;
