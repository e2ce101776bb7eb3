// Outcomes of a patch of the own pod: a closed list, used as a metric label.

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

export type FailedOutcome = Exclude<(typeof patchOutcomes)[number], 'ok'>;

export type PatchOutcome =
  /** The pod's labels with our prefix. */
  | { readonly kind: 'ok'; readonly labels: ReadonlyMap<string, string> }
  /** One line without credentials. */
  | { readonly kind: FailedOutcome; readonly reason: string };

/** Null removes a label or an annotation. */
export interface PodPatch {
  readonly labels: Readonly<Record<string, string | null>>;
  readonly annotations: Readonly<Record<string, string | null>>;
}

/** Never rejects. Resolves within the deadline. */
export type PatchPod = (patch: PodPatch, deadlineMs: number, signal: AbortSignal) => Promise<PatchOutcome>;
