// An index beside its chain: what the check of the chain says was accepted last, and what the index says of that very block.
//
// Report and index are asked at different instants, and the report itself is as old as the last health check run: to compare
// the two ends would show a drift that is none. So the index is asked about the block that the report names: its number beside
// its height is the drift, whatever was accepted since.

import type { HealthReport } from '../../protocol/health.ts';
import { type IndexName, isHistorical } from '../../protocol/paths.ts';
import { type IndexHead, lastOf } from './head.ts';
import { type IndexAnswers, type IndexQuestions, valueIn } from './questions.ts';

/** The last accepted block of a chain, by its check. Never of height 0: genesis is not indexed. */
export interface LastBlock {
  readonly height: bigint;
  readonly id: string;
}

/** What was last learnt of an index and its chain. */
export interface Comparison {
  readonly block: LastBlock;
  /** The block's number in the index, where the index has it and has said so. */
  readonly number?: bigint;
  /** Height − 1 − number: 0 when nothing is missing. Of a block that the index has not, by the index's last number: at least. */
  readonly drift?: bigint;
  /** The index has the block. */
  readonly agrees: boolean;
  /** Seconds, exporter's clock. */
  readonly at: number;
}

export interface ChainState {
  readonly compared?: Comparison;
  /** The chain's last block, that the index denied in the poll before. */
  readonly denied?: string;
}

/** `none`: there is nothing to compare with; undefined: the report did not come. */
export type ChainReport = LastBlock | 'none' | undefined;

const longestId = 128;

/** P/block is the index of the chain whose check is named P, and so on; X/tx and X/vtx hold no blocks. */
export const lastBlockOf = (index: IndexName, report: HealthReport | undefined): ChainReport => {
  if (report === undefined) return undefined;
  if (isHistorical(index)) return 'none';
  const consensus = member(member(report.checks.get(index.slice(0, 1))?.message, 'engine'), 'consensus');
  const height = member(consensus, 'lastAcceptedHeight');
  const id = member(consensus, 'lastAcceptedID');
  // Bootstrapping, the members are missing. A height beyond 2^53 was rounded by whoever read it.
  if (typeof height !== 'number' || !Number.isSafeInteger(height) || height <= 0) return 'none';
  return typeof id === 'string' && id !== '' && id.length <= longestId ? { height: BigInt(height), id } : 'none';
};

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;

const lastNumber = (head: IndexHead): bigint => lastOf(head)?.index ?? -1n;

/** The number of the block as far as it is known without asking. */
const knownNumber = ({ compared }: ChainState, head: IndexHead, block: LastBlock): bigint | undefined => {
  if (head.state === 'ok' && head.last.id === block.id) return head.last.index;
  const known = compared?.block.id === block.id ? compared.number : undefined;
  return known !== undefined && known <= lastNumber(head) ? known : undefined;
};

const isComparable = (head: IndexHead): boolean => head.state === 'ok' || head.state === 'empty';

/** Nothing, where the index ends with the chain's last block, or it is known where that stands. */
export const chainQuestions = (
  state: ChainState,
  head: IndexHead,
  chain: ChainReport,
): Pick<IndexQuestions, 'accepted' | 'numbersOf'> => {
  if (chain === undefined || chain === 'none' || !isComparable(head) || knownNumber(state, head, chain) !== undefined)
    return { accepted: [], numbersOf: [] };
  const { denied } = state;
  return {
    accepted: denied === undefined || denied === chain.id ? [chain.id] : [chain.id, denied],
    numbersOf: denied === chain.id ? [] : [chain.id],
  };
};

/**
 * An index disagrees with its chain when it has denied two of its last blocks: it is asked about the same block again in the next
 * poll, and about the one that is the chain's last by then. Until then stays what was known.
 */
export const compare = (
  before: ChainState,
  head: IndexHead,
  chain: ChainReport,
  { accepted, numbersOf }: IndexAnswers,
  at: number,
): ChainState => {
  if (chain === undefined) return before;
  if (chain === 'none' || !isComparable(head)) return {};
  const isAccepted = saysOf(accepted, chain.id);
  const known = knownNumber(before, head, chain) ?? (isAccepted === true ? valueIn(numbersOf.get(chain.id))?.index : undefined);
  if (known !== undefined)
    return { compared: { block: chain, number: known, drift: chain.height - 1n - known, agrees: true, at } };
  if (isAccepted === true) return { compared: { block: chain, agrees: true, at } };
  if (isAccepted === undefined) return before;
  const { denied, compared } = before;
  if (denied === undefined || saysOf(accepted, denied) !== false) return { ...(compared && { compared }), denied: chain.id };
  const drift = chain.height - 1n - lastNumber(head);
  return { compared: { block: chain, drift, agrees: false, at }, denied: chain.id };
};

const saysOf = (accepted: IndexAnswers['accepted'], id: string): boolean | undefined => valueIn(accepted.get(id))?.isAccepted;
