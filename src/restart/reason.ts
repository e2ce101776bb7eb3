// Results of judging a restart, and their reasons: a closed list of types, with messages.

const restartResults = ['safe', 'unknown', 'unsafe'] as const;
export type RestartResult = (typeof restartResults)[number];

export const restartReasonTypes = [
  'Bootstrapping',
  'OthersBootstrapping',
  'OthersNotReady',
  'OthersUnknown',
  'OthersReady',
  'NoOthersWatched',
  'RewardLost',
  'RewardAtRisk',
  'RewardUnknown',
  'RewardOnTrack',
  'BudgetTooSmall',
  'ConnectedStakeLow',
  'IdentityUnexpected',
  'StateUnknown',
  'NetworkUnknown',
  'SubnetsUnknown',
  'MembershipUnknown',
  'NotValidator',
  'MaintenanceOpen',
] as const;

export interface RestartReason {
  readonly type: (typeof restartReasonTypes)[number];
  /** The result that this reason causes; safe: it is not a reason against a restart. */
  readonly result: RestartResult;
  readonly message: string;
}

/** A reason with a message that is created only when it is needed. */
export interface ReasonDraft extends Pick<RestartReason, 'type' | 'result'> {
  readonly say: () => string;
}

const rank = (result: RestartResult): number => restartResults.indexOf(result);

/** The worst result. Unsafe is worse than unknown, and unknown is worse than safe. */
export const worstResult = (all: readonly { readonly result: RestartResult }[]): RestartResult => {
  let found: RestartResult = 'safe';
  for (const { result } of all) if (rank(result) > rank(found)) found = result;
  return found;
};

export const worstFirst = (reasons: readonly ReasonDraft[]): readonly ReasonDraft[] =>
  reasons.toSorted((a, b) => rank(b.result) - rank(a.result));

const reason =
  (result: RestartResult) =>
  (type: ReasonDraft['type'], say: () => string): ReasonDraft => ({ type, result, say });

export const [unsafe, unknown, safe] = [reason('unsafe'), reason('unknown'), reason('safe')];
