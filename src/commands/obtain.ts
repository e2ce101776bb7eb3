// A health report from where the command line says: a node, a file, or what is piped in.

import { createReadStream } from 'node:fs';
import { type Answer, type Client, createClient } from '../client/client.ts';
import { describe } from '../client/outcome.ts';
import type { HealthReport } from '../protocol/health.ts';
import type { Circumstances } from '../report/finding.ts';
import { printable } from '../report/printable.ts';
import { readSaved } from '../report/saved.ts';
import type { Asking } from './ask-options.ts';
import type { CommandContext } from './context.ts';
import { fileFault } from './file-fault.ts';

export type Obtained =
  | { readonly kind: 'ok'; readonly report: HealthReport; readonly circumstances: Circumstances; readonly nodeId?: string }
  /** Nobody can say how the node is. */
  | { readonly kind: 'unknown'; readonly because: string }
  /** The operator's mistake. */
  | { readonly kind: 'unreadable'; readonly because: string };

export type Question = 'health' | 'readiness' | 'liveness';

const unknown = (because: string): Obtained => ({ kind: 'unknown', because });

/** Runs `work` with a client, and ends its connections. */
export const withClient = async <T>(
  { client }: Asking,
  { now }: Pick<CommandContext, 'now'>,
  work: (client: Client) => Promise<T>,
): Promise<T> => {
  const made = createClient(client, now);
  try {
    return await work(made);
  } finally {
    made.close();
  }
};

export const obtainFromNode = async (
  client: Client,
  question: Question,
  asking: Asking,
  signal: AbortSignal,
): Promise<Obtained> => {
  const answer = await client[question](asking.tags, signal);
  if (answer.outcome.kind !== 'ok') return unknown(printable(describe(answer.outcome), 400));
  const report = answer.outcome.value;
  const unknownTags = question === 'health' ? await unknownTagsOf(client, asking.tags, report, signal) : [];
  const { maxAge, ageCounts } = asking;
  return {
    kind: 'ok',
    report,
    circumstances: { tags: asking.tags, unknownTags, maxAge, ageCounts, ...presentOf(answer) },
    ...(answer.nodeId !== undefined && { nodeId: answer.nodeId }),
  };
};

/** The Date header is whole seconds, and written while the answer was under way: what may be due to that is no skew. */
const presentOf = ({ date, sentAt, endedAt }: Answer<unknown>): Pick<Circumstances, 'nodeNow' | 'skew'> => {
  if (date === undefined || (date + 1 >= sentAt - 1 && date <= endedAt + 1)) return { nodeNow: endedAt };
  const skew = date + 0.5 - (sentAt + endedAt) / 2;
  return { nodeNow: endedAt + skew, skew };
};

/** No node registers a check with it: what it brings is the checks that every tag brings. */
const noTag = 'snowgauge-asks-for-no-tag';

/** Of every check, and of those that are everybody's: not a subnet's, and known to every node. */
const everyNodes: ReadonlySet<string> = new Set(['all', 'application']);

/** Tags that add no check of their own. One that cannot be asked about is given the benefit of the doubt. */
const unknownTagsOf = async (
  client: Client,
  tags: readonly string[],
  report: HealthReport,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const doubtful = [...new Set(tags)].filter((tag) => !everyNodes.has(tag));
  if (doubtful.length === 0) return [];
  const common = await client.health([noTag], signal);
  if (common.outcome.kind !== 'ok') return [];
  const everybodys = common.outcome.value.checks;
  const known = await Promise.all(
    doubtful.map(async (tag) => {
      const own = tags.length === 1 ? report : await reportOf(client, tag, signal);
      return own === undefined || [...own.checks.keys()].some((check) => !everybodys.has(check));
    }),
  );
  return doubtful.filter((_, at) => known[at] === false);
};

const reportOf = async (client: Client, tag: string, signal: AbortSignal): Promise<HealthReport | undefined> => {
  const { outcome } = await client.health([tag], signal);
  return outcome.kind === 'ok' ? outcome.value : undefined;
};

/** `-` is what is piped in. */
export const obtainFromFile = async (file: string, asking: Asking, context: CommandContext): Promise<Obtained> => {
  const { maxBodyBytes, maxAge } = asking;
  try {
    const source = file === '-' ? (context.stdin?.() ?? []) : createReadStream(file, { signal: context.signal });
    const text = await readAtMost(source, maxBodyBytes);
    if (text === undefined)
      return { kind: 'unreadable', because: `is larger than ${maxBodyBytes} bytes: raise --max-body-size if that is right` };
    const saved = readSaved(text);
    if (saved.kind === 'no-report') return unknown(`${file === '-' ? 'what is piped in' : printable(file)}: ${saved.because}`);
    // How old a saved report may be, nobody but who saved it knows.
    return { kind: 'ok', report: saved.report, circumstances: { tags: [], unknownTags: [], maxAge, ageCounts: false } };
  } catch (error) {
    // The operator's fault (no such file, no permission), and said as one.
    return { kind: 'unreadable', because: `cannot be read: ${fileFault(error)}` };
  }
};

/** Undefined where there is more. */
const readAtMost = async (
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limit: number,
): Promise<string | undefined> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};
