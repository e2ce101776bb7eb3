// The status page: what one opens at three in the morning. Whole without its script, which only keeps it up to date; one
// document, nothing else is fetched.

import { html, raw } from 'hono/html';
import { isoOf } from '../text.ts';
import { text as styleSheet } from './browser/page.css?browser';
import { text as script } from './browser/page.ts?browser';
import { configurationNote } from './configuration-note.ts';
import { type Mark, targetMark, troubleOf } from './marks.ts';
import { overview } from './overview.ts';
import { build } from './page-headers.ts';
import { instant, listed, utc } from './parts.ts';
import { targetSection } from './target-section.ts';
import type { View } from './view.ts';

/** Everything from the node passes the `html` tag, which escapes it. */
export const renderPage = (view: View): string => document(view, 'whole');

/** The same without style and script: what the script asks for to take the news from. */
export const renderPart = (view: View): string => document(view, 'part');

// Without promises among its values the tag answers at once, so this is text and no promise of it.
const document = (view: View, extent: 'whole' | 'part'): string =>
  String(html`<!doctype html>
<html lang="en" data-build="${build}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title(view)}</title>
<link id="icon" rel="icon" href="${icon(levelOf(view))}">
${extent === 'whole' && html`<style>${raw(styleSheet)}</style>`}
</head>
<body>
<header>
<h1><a href="/">snowgauge</a></h1>
<p class="asof"><span id="live">No automatic updates: <a href="">reload</a></span> &middot; as of <time id="asof" datetime="${isoOf(view.now)}">${utc(isoOf(view.now))}</time></p>
<p id="lost" role="alert"></p>
<p id="lead" class="${levelOf(view)}" role="status">${lead(view)}</p>
</header>
<main id="page">
${view.configuration !== undefined && configurationNote(view.configuration)}
${view.unknownTarget !== undefined && html`<p class="note bad">There is no target named ${view.unknownTarget.slice(0, 63)} in the configuration.</p>`}
${view.selected !== undefined && view.total > 1 && html`<p><a href="/">All ${view.total} targets</a></p>`}
${view.rows.length > 0 && overview(view)}
${view.whole.map((target) => targetSection(target, view))}
</main>
<footer>
<p><a href="/metrics">/metrics</a> <a href="/api/v1/status">/api/v1/status</a> <a href="/livez?verbose">/livez</a> <a href="/readyz?verbose">/readyz</a></p>
<p>snowgauge ${view.version}, running since ${instant(isoOf(view.startedAt))}. Times are UTC.</p>
</footer>
${extent === 'whole' && html`<script>${raw(script)}</script>`}
</body>
</html>
`);

const levelOf = ({ counts }: View): Mark['level'] => {
  if (counts.bad > 0) return 'bad';
  if (counts.warn > 0) return 'warn';
  return counts.none > 0 ? 'none' : 'good';
};

/** A sign, and what is said of one target and of several. */
const words: Readonly<Record<Mark['level'], { readonly sign: string; readonly says: readonly [string, string] }>> = {
  bad: { sign: '✕', says: ['is failing', 'are failing'] },
  warn: { sign: '!', says: ['needs attention', 'need attention'] },
  none: { sign: '·', says: ['is not known yet', 'are not known yet'] },
  good: { sign: '✓', says: ['is healthy', 'are healthy'] },
};

const saidOf = (level: Mark['level'], count: number): string => words[level].says[count === 1 ? 0 : 1];

const title = (view: View): string => {
  const level = levelOf(view);
  const count = view.counts[level];
  if (level === 'good') return `${words.good.sign} all healthy · snowgauge`;
  const who = view.total === 1 ? (view.worst[0]?.name ?? '') : `${count} of ${view.total}`;
  return `${words[level].sign} ${who} ${saidOf(level, count)} · snowgauge`;
};

/** The one sentence that a screen reader is told again when it changes. */
const lead = (view: View): string => {
  const { worst, counts, total } = view;
  if (total === 0) return 'No targets are configured.';
  if (counts.good === total) return total === 1 ? `${worst[0]?.name} is healthy.` : `All ${total} targets are healthy.`;
  // Of the worst level alone: what only needs a look can wait for what is failing.
  const level = levelOf(view);
  const those = worst.filter((target) => targetMark(target).level === level);
  const names = those.map(({ name }) => name);
  const named = names.length > 4 ? `${names.slice(0, 3).join(', ')} and ${counts[level] - 3} more` : listed(names);
  const [only] = those;
  const why = counts[level] === 1 && only !== undefined ? troubleOf(only) : undefined;
  return `${named} ${saidOf(level, counts[level])}${why === undefined ? '' : `: ${why}`}.`;
};

/** The tab says it too: a sign in a shape and a colour of its own. */
const icon = (level: Mark['level']): string => {
  const [colour, path] = icons[level];
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='4' fill='${colour}'/><path d='${path}' fill='none' stroke='#fff' stroke-width='2.5'/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
};

const icons: Readonly<Record<Mark['level'], readonly [colour: string, path: string]>> = {
  good: ['#116329', 'M3.5 8.5l3 3 6-7'],
  bad: ['#b3261e', 'M4 4l8 8M12 4l-8 8'],
  warn: ['#7d4e00', 'M8 3v6M8 11v2.5'],
  none: ['#59636e', 'M4 8h8'],
};
