// Reads a saved health report from a file or a pipe: the body of a GET response, or a JSON-RPC response.

import { stat } from 'node:fs/promises';
import { bySchema } from '../client/answer.ts';
import { fileFault } from '../client/files.ts';
import { type HealthReport, healthReport } from '../protocol/health.ts';
import { rpcResponse } from '../protocol/rpc.ts';
import { openRegular, readPipe } from '../regular-file.ts';
import { parsedJson, printable } from '../text.ts';
import type { CommandContext } from './context.ts';

export type Obtained =
  | { readonly kind: 'ok'; readonly report: HealthReport }
  /** There is no valid report, so the node's state is unknown. */
  | { readonly kind: 'no-report'; readonly message: string }
  /** An error of the operator. */
  | { readonly kind: 'unreadable'; readonly path: string; readonly message: string };

const unreadable = (path: string, message: string): Obtained => ({ kind: 'unreadable', path, message });

/** Reads stdin if `file` is `-`. */
export const obtainFromFile = async (
  file: string,
  maxBytes: number,
  { stdin, signal }: Pick<CommandContext, 'stdin' | 'signal'>,
): Promise<Obtained> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of file === '-' ? (stdin?.() ?? []) : await chunksOf(file, maxBytes, signal)) {
      size += chunk.length;
      if (size > maxBytes) return unreadable(file, `is larger than ${maxBytes} bytes: raise --max-body-size if this is expected`);
      chunks.push(chunk);
    }
  } catch (error) {
    return unreadable(file, `cannot be read: ${fileFault(error)}`);
  }
  const read = readReport(Buffer.concat(chunks).toString());
  if (typeof read !== 'string') return { kind: 'ok', report: read };
  return { kind: 'no-report', message: `${file === '-' ? 'stdin' : printable(file)}: ${read}` };
};

/** Reads a pipe, such as `<(...)`, in a way that does not block a thread if nobody writes to it. */
const chunksOf = async (file: string, maxBytes: number, signal: AbortSignal): Promise<AsyncIterable<Buffer> | Buffer[]> => {
  if (!(await stat(file)).isFIFO()) return (await openRegular(file, 'followed')).createReadStream({ signal });
  const read = await readPipe(file, maxBytes, signal);
  if (read.length === 0) throw new Error('no data in this pipe');
  return [read];
};

const remedy = 'save the response of the node to /ext/health';

/** Returns a text if there is no report: the reason. */
const readReport = (text: string): HealthReport | string => {
  const body = text.replace(/^\uFEFF/, '');
  if (body.trim() === '')
    return 'it is empty: the command that wrote it got no response, or the node could not encode a check result';
  const json = parsedJson(body);
  if (json === undefined) return `it is not JSON: ${remedy}`;
  const isEnvelope =
    typeof json === 'object' && json !== null && Object.hasOwn(json, 'jsonrpc') && !Object.hasOwn(json, 'checks');
  if (!isEnvelope) return readBody(json);
  const envelope = rpcResponse.safeParse(json);
  if (!envelope.success) return 'it is not a valid JSON-RPC response';
  const { error, result } = envelope.data;
  return error ? `it is JSON-RPC error ${error.code}: ${printable(error.message)}` : readBody(result);
};

const readBody = (json: unknown): HealthReport | string => {
  const read = bySchema(healthReport)(json);
  if (read.kind === 'ok') return read.value;
  return `it is not a health report (${'reason' in read ? read.reason : read.kind}): ${remedy}`;
};
