// Compares an index with its chain: looks up the last accepted block, as reported by the chain's check, in the index.
//
// Report and index are requested at different times, and the report is as old as the last health check run, so comparing their
// last blocks would show a false drift. Instead, the index is queried for the block of the report: its height and its number
// give the drift, even if more blocks were accepted since.

import { fieldOf } from '../../metrics/message.ts';
import type { HealthReport } from '../../protocol/health.ts';
import { type IndexName, isHistorical } from '../../protocol/paths.ts';
import { valueIn } from '../../snapshot/observed.ts';
import { type IndexHead, lastOf } from './head.ts';
import type { IndexAnswers, IndexQuestions } from './questions.ts';

/** Last accepted block of a chain, as reported by its check. Never height 0: genesis is not indexed. */
export interface LastBlock {
  readonly height: bigint;
  readonly id: string;
}

/** Last comparison of an index with its chain. */
export interface Comparison {
  readonly block: LastBlock;
  /** Number of the block in the index. Undefined if not found or not known. */
  readonly number?: bigint;
  /**
   * Height − 1 − number; 0 if no block is missing. If the index lacks the block, it is a minimum, computed from the last number of the
   * index.
   */
  readonly drift?: bigint;
  /** The index has the block. */
  readonly agrees: boolean;
  /** Seconds, exporter's clock. */
  readonly at: number;
}

export interface ChainState {
  readonly compared?: Comparison;
  /** ID of the chain's last block that the index last reported as not accepted. */
  readonly denied?: string;
}

/** `none`: nothing to compare with. Undefined if there is no report. */
export type ChainReport = LastBlock | 'none' | undefined;

const longestId = 128;

/** An index is named after its chain's check: P/block after P, and so on. X/tx and X/vtx hold no blocks. */
export const lastBlockOf = (index: IndexName, report: HealthReport | undefined): ChainReport => {
  if (report === undefined) return undefined;
  if (isHistorical(index)) return 'none';
  const message = report.checks.get(index.slice(0, 1))?.message;
  const height = fieldOf(message, 'engine.consensus.lastAcceptedHeight');
  const id = fieldOf(message, 'engine.consensus.lastAcceptedID');
  // The members are missing during bootstrap. A height beyond 2^53 was rounded when parsed.
  if (typeof height !== 'number' || !Number.isSafeInteger(height) || height <= 0) return 'none';
  return typeof id === 'string' && id !== '' && id.length <= longestId ? { height: BigInt(height), id } : 'none';
};

const lastNumber = (head: IndexHead): bigint => lastOf(head)?.index ?? -1n;

/** Number of the block, if known without a request. */
const knownNumber = ({ compared }: ChainState, head: IndexHead, block: LastBlock): bigint | undefined => {
  if (head.state === 'ok' && head.last.id === block.id) return head.last.index;
  const known = compared?.block.id === block.id ? compared.number : undefined;
  return known !== undefined && known <= lastNumber(head) ? known : undefined;
};

const isComparable = (head: IndexHead): boolean => head.state === 'ok' || head.state === 'empty';

/** Empty if the index ends with the chain's last block, or that block's number is known. */
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
 * An index disagrees with its chain if two polls in a row do not find blocks: the first poll does not find the chain's last block, and the
 * next poll finds neither that block nor the chain's last block at that time. After the first poll, the previous comparison is kept.
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
