// What a route answers: finished bytes, or a page that is joined while it is sent.

import type { Joined } from '../metrics/join.ts';
import type { Selection } from '../metrics/page.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | Joined;
}

type MetricsBytes = Pick<Reply, 'body' | 'headers'>;

/** The page of metrics for the request's Accept and Accept-Encoding, or a part; a promise only where it has to be rendered first. */
export type MetricsReply = (
  accept: string | undefined,
  acceptEncoding: string | undefined,
  part?: Selection,
) => MetricsBytes | Promise<MetricsBytes>;
