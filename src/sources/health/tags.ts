// Finds out which tags the node knows. For an unknown tag it does not fail, but reports only the checks without a tag, so a misspelt
// subnet id looks healthy. A request with a tag that cannot exist shows which checks those are: a known tag adds more checks to them.

import type { Answer } from '../../client/client.ts';
import type { HealthReport } from '../../protocol/health.ts';
import { lastValue, type Observed, valueIn } from '../../snapshot/observed.ts';
import type { TagSet, TargetOptions } from '../../snapshot/options.ts';
import type { Step } from '../source.ts';

export interface TagKnowledge {
  /** Whether the tag adds a check. A tag without an entry is not verified yet. */
  readonly adds: ReadonlyMap<string, boolean>;
  /** How many more times to send the request with the impossible tag. */
  readonly toAsk: number;
  /** Tags of tag sets with several tags, which must still be requested one by one. */
  readonly open: readonly string[];
  /** The last update; exporter's clock. */
  readonly observedAt?: number;
}

/** No subnet, chain or check has this name, because ids have no spaces. */
export const impossibleTag = 'snowgauge asks: a tag that no check has';

/** Built-in tags of the node: `all` selects all checks, `application` those without a tag. */
const nodesOwn: ReadonlySet<string> = new Set(['all', 'application']);

/** Twice, because two responses of one poll disagree if a check is added or removed in between; those of the next poll agree again. */
const times = 2;

/** Limits the tags requested one by one per poll. */
const maxConcurrent = 8;

/** Check intervals after which tags are verified again even if nothing has changed. */
const verifyAgainAfter = 100;

const isAsked = (tag: string): boolean => !nodesOwn.has(tag);

const single = ({ tags }: TagSet): boolean => tags.length === 1;

/** Tags that no tag set has alone: the report for several tags does not show what each of them adds. */
const unioned = ({ tagSets }: Pick<TargetOptions, 'tagSets'>): readonly string[] => {
  const alone = new Set(tagSets.filter(single).flatMap(({ tags }) => tags));
  return [...new Set(tagSets.flatMap(({ tags }) => tags))].filter((tag) => isAsked(tag) && !alone.has(tag));
};

export const noKnowledge = (options: Pick<TargetOptions, 'tagSets'>): TagKnowledge => {
  const tags = options.tagSets.flatMap((tagSet) => tagSet.tags);
  const adds = new Map(tags.filter((tag) => !isAsked(tag)).map((tag) => [tag, true]));
  return { adds, toAsk: tags.some(isAsked) ? times : 0, open: unioned(options) };
};

/** Keeps what is known of tags that are still configured. New tags are verified as after the start. */
export const keptKnowledge = (before: TagKnowledge, options: Pick<TargetOptions, 'tagSets'>): TagKnowledge => {
  const none = noKnowledge(options);
  const tags = new Set(options.tagSets.flatMap((tagSet) => tagSet.tags));
  const adds = new Map([...none.adds, ...Array.from(before.adds).filter(([tag]) => tags.has(tag))]);
  const { observedAt } = before;
  const isNew = [...tags].some((tag) => !adds.has(tag));
  return {
    adds,
    toAsk: isNew ? none.toAsk : Math.min(before.toAsk, none.toAsk),
    open: none.open.filter((tag) => !adds.has(tag) || before.open.includes(tag)),
    ...(observedAt !== undefined && { observedAt }),
  };
};

/** The tags that the next poll requests one by one; usually none. */
export const tagsToAsk = ({ toAsk, open }: TagKnowledge): readonly string[] =>
  toAsk === 0 && open.length === 0 ? [] : [impossibleTag, ...open.slice(0, maxConcurrent)];

/** The health reports that one poll requests. */
export interface HealthAsked {
  /** By the name of the tag set. */
  readonly reports: ReadonlyMap<string, Answer<HealthReport>>;
  /** By the tag that was requested alone. */
  readonly tags: ReadonlyMap<string, Answer<HealthReport>>;
}

interface Before {
  readonly options: Pick<TargetOptions, 'tagSets'>;
  readonly tags: TagKnowledge;
  /** By the name of the tag set. */
  readonly reports: ReadonlyMap<string, Observed<HealthReport>>;
}

/** Applies one poll. A new process may track other subnets, so the knowledge of the former one does not count. */
export const followTags = (
  known: Before,
  answers: HealthAsked,
  { at, interval, restarted }: Pick<Step<object>, 'at' | 'interval' | 'restarted'>,
): TagKnowledge => {
  const { options } = known;
  const before = restarted ? noKnowledge(options) : known.tags;
  const common = valueIn(answers.tags.get(impossibleTag));
  const next = common === undefined ? before : observeTags(options, before, answers, new Set(common.checks.keys()), at);
  if (!options.tagSets.some(({ tags }) => tags.some(isAsked))) return next;
  const old = next.observedAt !== undefined && at - next.observedAt > verifyAgainAfter * interval;
  return restarted || old || hasOtherChecks(known.reports, answers.reports)
    ? { ...next, toAsk: times, open: unioned(options) }
    : next;
};

const observeTags = (
  { tagSets }: Pick<TargetOptions, 'tagSets'>,
  before: TagKnowledge,
  { reports, tags }: HealthAsked,
  common: ReadonlySet<string>,
  at: number,
): TagKnowledge => {
  const adds = new Map(before.adds);
  const observed = (tag: string, report: HealthReport | undefined): boolean => {
    if (report === undefined) return false;
    adds.set(
      tag,
      Array.from(report.checks.keys()).some((check) => !common.has(check)),
    );
    return true;
  };
  const alone = tagSets
    .filter(single)
    .flatMap(({ name, tags: [tag = ''] }) => (isAsked(tag) ? observed(tag, valueIn(reports.get(name))) : []));
  const asked = [...tags].filter(([tag]) => tag !== impossibleTag);
  const answered = new Set(asked.filter(([tag, answer]) => observed(tag, valueIn(answer))).map(([tag]) => tag));
  const failed = new Set(asked.map(([tag]) => tag).filter((tag) => !answered.has(tag)));
  const waiting = before.open.filter((tag) => !answered.has(tag) && !failed.has(tag));
  return {
    adds,
    // Failed requests move to the end, so that they do not delay the others.
    open: [...waiting, ...failed],
    toAsk: alone.every(Boolean) ? Math.max(0, before.toAsk - 1) : before.toAsk,
    observedAt: at,
  };
};

/** The checks in the report of a tag set have changed since its last report. */
const hasOtherChecks = (before: Before['reports'], reports: HealthAsked['reports']): boolean =>
  [...reports].some(([name, answer]) => {
    const report = valueIn(answer);
    const last = lastValue(before.get(name));
    if (report === undefined || last === undefined) return false;
    return report.checks.size !== last.checks.size || [...report.checks.keys()].some((check) => !last.checks.has(check));
  });

/** The tags of a tag set that add no check, and those that are not verified yet. */
export const doubtfulTags = (
  { adds }: Pick<TagKnowledge, 'adds'>,
  { tags }: TagSet,
): { readonly unknown: readonly string[]; readonly undecided: readonly string[] } => ({
  unknown: tags.filter((tag) => adds.get(tag) === false),
  undecided: tags.filter((tag) => !adds.has(tag)),
});
