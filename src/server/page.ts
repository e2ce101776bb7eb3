// The status page of one target or a few. It is complete without its script, which only keeps it up to date.

import { html } from 'hono/html';
import type { Level } from '../sources/source.ts';
import { counted, maxTargetNameLength } from '../text.ts';
import { discoverySection } from './discovery-section.ts';
import { isTroubled } from './discovery-status.ts';
import { document, type Frame, type Summary, saidOf } from './frame.ts';
import { exceptionsOf, type Mark, targetMark, troubleOf, worst } from './marks.ts';
import { exceptionsText, home, listed, signs } from './parts.ts';
import { ofShard, shardsSection } from './shards-section.ts';
import type { TargetStatus } from './status.ts';
import { targetSection } from './target-section.ts';
import type { View } from './view.ts';

/** `unknown`: the summary instead of that of the targets, if the requested target does not exist. */
export const renderPage = (view: View, extent: Frame['extent'], unknown?: Summary): string => {
  const level = view.detailed.length === 0 ? levelOfNone(view) : worst(view.detailed.map(targetMark));
  return document({
    ...view,
    extent,
    level,
    title: title(view, level),
    lead: `${view.selected === undefined && view.detailed.length > 0 ? ofShard(view.shards) : ''}${lead(view, level)}`,
    ...unknown,
    main: html`${view.selected !== undefined && view.total > 1 && html`<p><a href="${home}">All ${view.total} targets</a></p>`}
${view.detailed.map((target) => targetSection(target, view))}
${view.selected === undefined && discoverySection(view.discovery, view.now)}
${view.selected === undefined && view.shards !== undefined && shardsSection(view.shards)}`,
  });
};

/** The level is not that of the targets below: the tab must not turn green when its target is removed. */
export const unknownTarget = (asked: string, elsewhere: string | undefined): Summary => {
  const name = asked.slice(0, maxTargetNameLength);
  const why = elsewhere === undefined ? ': it is neither configured nor discovered' : ` here: ${elsewhere}`;
  return { level: 'none', title: `${signs.none} no target ${name} · snowgauge`, lead: `There is no target named ${name}${why}.` };
};

const ofLevel = ({ detailed }: View, level: Mark['level']) => detailed.filter((target) => targetMark(target).level === level);

const title = (view: View, level: Level): string => {
  if (view.detailed.length === 0) return `${signs[level]} ${noneInTitle(view)} · snowgauge`;
  const good = view.selected === undefined ? 'all healthy' : `${view.selected} is healthy`;
  if (level === 'good') return `${signs.good} ${good}${exceptions(view.detailed)} · snowgauge`;
  const [only] = view.detailed;
  const count = ofLevel(view, level).length;
  const who = view.detailed.length === 1 ? (only?.name ?? '') : `${count} of ${view.total}`;
  return `${signs[level]} ${who} ${saidOf(level, count)} · snowgauge`;
};

const lead = (view: View, level: Level): string => {
  const { detailed } = view;
  const [first] = detailed;
  if (first === undefined) return leadOfNone(view);
  if (level === 'good')
    return `${detailed.length === 1 ? `${first.name} is healthy` : `All ${detailed.length} targets are healthy`}${exceptions(detailed)}.`;
  // Names only targets of the worst level: failing targets are more important than those that only need attention.
  const those = ofLevel(view, level);
  const [only] = those;
  const why = those.length === 1 && only !== undefined ? troubleOf(only) : undefined;
  return `${listed(those.map(({ name }) => name))} ${saidOf(level, those.length)}${why === undefined ? '' : `: ${why}`}.`;
};

const exceptions = (targets: readonly TargetStatus[]): string =>
  exceptionsText(
    targets.flatMap((target) => exceptionsOf(target).map((part) => (targets.length === 1 ? part : `${part} of ${target.name}`))),
  );

/** Without targets, the page is not green. */
const levelOfNone = ({ discovery }: View): Level => (discovery.some(isTroubled) ? 'warn' : 'none');

const foundBy = ({ discovery }: View): number =>
  discovery.reduce((sum, { unwatched }) => unwatched.reduce((all, { targets }) => all + targets, sum), 0);

const noneInTitle = (view: View): string => {
  const found = foundBy(view);
  return found === 0 ? 'no targets' : `${found} found, none watched`;
};

const leadOfNone = (view: View): string => {
  const { discovery, shards } = view;
  const ofShards = shards?.shards.reduce((sum, { targets }) => sum + targets.length, 0) ?? 0;
  if (ofShards > 0) return `This shard watches none of ${counted(ofShards, 'target')}.`;
  if (discovery.length === 0) return 'No targets are configured.';
  const found = foundBy(view);
  if (found > 0) return `Service discovery has found ${counted(found, 'target')}, and none is watched.`;
  return `Service discovery has found no targets${discovery.some(({ status }) => status === 'Unknown') ? ' yet' : ''}.`;
};
