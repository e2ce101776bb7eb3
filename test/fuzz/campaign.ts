// Draws cases in batches until enough have run. A failing case is shrunk and stored in the corpus until the fault is fixed. With
// SNOWGAUGE_FUZZ_KEEP=1 the first case of each new feature is stored too.

import fc from 'fast-check';
import { type Corpus, kept } from './corpus.ts';

export interface Judged {
  /** Number of mutated texts that were read. */
  readonly answered: number;
  /** Behaviour that was seen: names of outcomes, families, log lines. */
  readonly features: ReadonlySet<string>;
  readonly sizes: Readonly<Record<string, number>>;
}

export interface Campaign<Drawn, Case> {
  readonly title: string;
  readonly drawn: fc.Arbitrary<Drawn>;
  readonly caseOf: (drawn: Drawn) => Case;
  readonly play: (one: Case) => Promise<Judged>;
  /** Number of mutated texts to run. */
  readonly wanted: number;
  readonly seed: number;
  /** Signal of the test, aborted by Ctrl+C. */
  readonly signal: AbortSignal;
  readonly corpus: Corpus<Case>;
  /** An honest case and its size: the CPU time of other cases may be a multiple of its. */
  readonly honest: { readonly play: () => Promise<unknown>; readonly bytes: number };
  readonly bytesOf: (one: Case) => number;
  /** Features that must be seen, otherwise the campaign no longer reaches them. */
  readonly mustSee?: readonly string[];
  /** Called after each batch. */
  readonly between?: () => Promise<void>;
}

const batch = 200;

/** Spread out, so that a campaign with the next seed shares no batch. */
const seedOf = (seed: number, round: number): number => (seed + Math.imul(round, 0x9e3779b1)) | 0;

/** Maximum CPU time of a case as a multiple of that of an honest one of its size. */
const longestTimes = 40;

const cpuOf = async <T>(work: () => Promise<T>): Promise<readonly [ms: number, made: T]> => {
  const before = process.cpuUsage();
  const made = await work();
  const { user, system } = process.cpuUsage(before);
  return [(user + system) / 1000, made];
};

const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

const costOf = async (work: () => Promise<unknown>): Promise<number> => {
  const costs: number[] = [];
  while (costs.length < 30) costs.push((await cpuOf(work))[0]);
  return medianOf(costs);
};

export const runCampaign = async <Drawn, Case>(given: Campaign<Drawn, Case>): Promise<void> => {
  const { title, drawn, caseOf, wanted, seed, signal, corpus, honest, bytesOf, between, mustSee = [] } = given;
  const features = new Set<string>();
  const sizes: Record<string, number> = {};
  const usual = Math.max(0.5, await costOf(honest.play));
  let [judged, cases, slowest, saidAt] = [0, 0, 0, performance.now()];
  const begin = performance.now();

  /** A case that is slow once was interrupted or compiled; only one that is slow each time is a fault. */
  const playInTime = async (one: Case): Promise<Judged> => {
    const bound = longestTimes * usual * Math.max(1, bytesOf(one) / honest.bytes);
    let [ms, made] = await cpuOf(() => given.play(one));
    for (let again = 0; ms > bound && again < 4; again += 1) ms = Math.min(ms, (await cpuOf(() => given.play(one)))[0]);
    if (ms > bound) throw new Error(`${Math.round(ms)} ms of CPU, of an honest one ${usual.toFixed(1)} ms`);
    slowest = Math.max(slowest, ms / bound);
    return made;
  };
  const property = fc.asyncProperty(drawn, async (value) => {
    const one = caseOf(value);
    const made = await playInTime(one);
    judged += made.answered;
    cases += 1;
    for (const [what, size] of Object.entries(made.sizes)) sizes[what] = Math.max(sizes[what] ?? 0, size);
    if ([...made.features].some((feature) => !features.has(feature))) await corpus.keepNew(one, made.features, given.play);
    for (const feature of made.features) features.add(feature);
  });
  const say = (): void => {
    const seconds = (performance.now() - begin) / 1000;
    const rate = `${cases} cases, ${Math.round(judged / seconds)} a second, ${features.size} features`;
    const most = `${Math.round(100 * slowest)} % of the time a case may take; most bytes ${JSON.stringify(sizes)}`;
    console.log(`${title}: ${judged} of ${wanted} (SNOWGAUGE_FUZZ_SEED=${seed}): ${rate}; ${most}`);
  };

  for (let round = 0; judged < wanted && !signal.aborted; round += 1) {
    const found = await fc.check(property, { seed: seedOf(seed, round), numRuns: batch });
    if (found.failed) {
      const [value] = found.counterexample ?? [];
      const file = value === undefined ? undefined : kept(corpus, 'found', caseOf(value));
      throw new Error(`${title}: ${fc.defaultReportMessage(found)}\nkept as ${file}`, { cause: found.errorInstance });
    }
    await between?.();
    if (performance.now() - saidAt > 10_000) {
      saidAt = performance.now();
      say();
    }
  }
  say();
  if (judged < wanted) throw new Error(`${title}: stopped after ${judged} of ${wanted}`);
  const missed = mustSee.filter((feature) => !features.has(feature));
  if (missed.length > 0) throw new Error(`${title}: ${judged} cases, and none with ${missed.join(', ')}`);
};
