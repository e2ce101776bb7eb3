// Short requests to servers on this machine: the exporter's page, the API of Prometheus.

import * as z from 'zod/mini';

const timeoutMs = 5000;

/** The body of a response with status 200, otherwise undefined. */
export const askText = async (url: string, signal: AbortSignal, method: 'GET' | 'POST' = 'GET'): Promise<string | undefined> => {
  try {
    const response = await fetch(url, { method, signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) });
    const text = await response.text();
    return response.ok ? text : undefined;
  } catch {
    return undefined;
  }
};

interface ScrapedSample {
  readonly labels: string;
  readonly value: number;
}

/** The samples of a family on a page. */
export const samplesOf = (page: string, family: string): readonly ScrapedSample[] =>
  Array.from(page.matchAll(new RegExp(`^${family}(?:\\{(.*)\\})? (\\S+)`, 'gm')), ([, labels, value]) => ({
    labels: labels ?? '',
    value: Number(value),
  }));

/** The label values must not contain quotes or backslashes. */
export const hasLabels = ({ labels }: ScrapedSample, wanted: Readonly<Record<string, string>> = {}): boolean =>
  Object.entries(wanted).every(([name, value]) => `,${labels}`.includes(`,${name}="${value}"`));

const answer = z.object({
  data: z.object({
    result: z.array(
      z.object({
        value: z.optional(z.tuple([z.number(), z.string()])),
        values: z.optional(z.array(z.tuple([z.number(), z.string()]))),
      }),
    ),
  }),
});

export interface Answered {
  /** For an instant vector. */
  readonly value?: number;
  /** For a range vector: the timestamp of each sample. */
  readonly times: readonly number[];
}

export const query = async (prometheus: string, promql: string, signal: AbortSignal): Promise<readonly Answered[]> => {
  const text = await askText(`${prometheus}/api/v1/query?${new URLSearchParams({ query: promql })}`, signal);
  const read = text === undefined ? undefined : answer.safeParse(JSON.parse(text));
  return (read?.data?.data.result ?? []).map(({ value, values }) => ({
    ...(value !== undefined && { value: Number(value[1]) }),
    times: values?.map(([at]) => at) ?? [],
  }));
};
