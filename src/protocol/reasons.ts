// Why a check fails, as a value of a closed list: derived from the name of the check and the node's error texts.

import type { CheckResult } from './health.ts';

/** The error of a check that has not run. */
export const notYetRun = 'not yet run';

/**
 * How the node's error texts begin, without the prefix that they have if several are joined. Empty: such errors have no common beginning.
 * The order is the precedence: if a check has several reasons, the first one counts. Reasons that only this node can have come before
 * unknown ones, and those before the last two, which a whole network may share: an operator who ignores these two must not miss another
 * reason of the same check.
 */
const beginnings = {
  'not-yet-run': [notYetRun],
  'shutting-down': ['server shutting down'],
  database: [],
  disk: ['remaining available disk space'],
  'chain-not-created': ['failed to create chain on subnet '],
  'vm-dead': ['health check failed: rpc error: code = Unavailable '],
  'vm-unhealthy': ['health check failed: '],
  'chain-starting': ['missing engine '],
  'bls-key': ['node has BLS key '],
  'partial-sync': ['partial sync should not be configured for a validator'],
  upgrade: ['unknown network upgrade detected', 'imminent network upgrade detected'],
  'no-validators': ['no validators in the current validator set'],
  bootstrapping: ['subnets not bootstrapped'],
  peers: ['not connected to a minimum of '],
  'no-inbound': ['primary network validator has no inbound connections'],
  silence: ['no messages received from network', 'no messages sent to network', 'no messages from network'],
  'send-failures': ['messages failure send rate '],
  router: ['the router is not healthy'],
  other: [],
  'block-processing': ['block processing too long', 'too many processing blocks', 'acceptance time too high'],
  'stake-disconnected': ['not connected to enough stake'],
} as const;

export type Reason = keyof typeof beginnings;

export const isReason = (text: unknown): text is Reason => typeof text === 'string' && Object.hasOwn(beginnings, text);

export const reasons: readonly Reason[] = Object.keys(beginnings).filter(isReason);

/** Checks that always have the same reason, whatever their error. */
const byCheck: ReadonlyMap<string, Reason> = new Map<string, Reason>([
  ['shuttingDown', 'shutting-down'],
  ['database', 'database'],
  ['diskspace', 'disk'],
  ['bls', 'bls-key'],
  ['validation', 'partial-sync'],
  ['futureupgrade', 'upgrade'],
  ['bootstrapped', 'bootstrapping'],
  ['router', 'router'],
]);

/**
 * Whether nothing is known about the check yet. The node has the check `shuttingDown` only while it shuts down, and may exit before the check
 * runs: it has failed even then.
 */
export const isAwaited = (check: string, { timestamp }: CheckResult): boolean =>
  timestamp === 'never' && check !== 'shuttingDown';

/** Why the check fails. Undefined if it passes. */
export const reasonOf = (check: string, result: CheckResult): Reason | undefined => {
  const { error, timestamp } = result;
  if (error === undefined) return undefined;
  if (timestamp === 'never') return isAwaited(check, result) ? 'not-yet-run' : 'shutting-down';
  const found = partsOf(error).map((part) => ofText(part) ?? byCheck.get(check) ?? 'other');
  return found.length === 1 ? found[0] : reasons.find((reason) => found.includes(reason));
};

/** In the order of precedence. An index, because a report with hundreds of failing checks is searched several times. */
const byFirstLetter = new Map<string, { readonly text: string; readonly reason: Reason }[]>();
for (const reason of reasons)
  for (const text of beginnings[reason])
    byFirstLetter.set(text.charAt(0), [...(byFirstLetter.get(text.charAt(0)) ?? []), { text, reason }]);

const ofText = (part: string): Reason | undefined =>
  byFirstLetter.get(part.charAt(0))?.find(({ text }) => part.startsWith(text))?.reason;

/** Splits joined errors: `engine: A; networking: B`, `vm: A ; consensus: B`, lines, and the list of check `network`. */
const partsOf = (error: string): readonly string[] => {
  const parts = error
    .split(/\r?\n|; networking: | ; consensus: /)
    .map((part) => part.replace(/^(?:engine: |vm: )+/, ''))
    .flatMap((part) => (part.startsWith(networkList) ? part.slice(networkList.length).split(', ') : [part]));
  const said = parts.filter((part) => part !== '');
  return said.length === 0 ? [''] : said;
};

const networkList = 'network layer is unhealthy reason: ';
