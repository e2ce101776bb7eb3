// The frame of every page: head with title and icon, the summary, the time of the data, and the footer. It is a single document that loads
// nothing else.

import { html, raw } from 'hono/html';
import type { Level } from '../sources/source.ts';
import { isoOf } from '../text.ts';
import { text as styleSheet } from './browser/page.css?browser';
import { text as script } from './browser/page.ts?browser';
import type { ConfigurationStatus } from './configuration.ts';
import { configurationNote } from './configuration-note.ts';
import { build } from './page-headers.ts';
import { type Html, home, instant, utc } from './parts.ts';

export interface Summary {
  readonly title: string;
  readonly level: Level;
  /** The text that screen readers announce when it changes. */
  readonly lead: string;
}

export interface Frame extends Summary {
  readonly main: Html | readonly (Html | false)[];
  readonly version: string;
  /** Seconds since the Unix epoch, wall clock, like all times here. */
  readonly startedAt: number;
  readonly now: number;
  readonly configuration?: ConfigurationStatus;
  /** `part`: without style sheet and script. The script requests this part to update the page. */
  readonly extent: 'whole' | 'part';
}

// The `html` tag returns a promise only if one of its values is a promise. Here none is, so `String` returns the text. All text from the
// node passes through this tag, which escapes it.
export const document = ({ title, level, lead, main, version, startedAt, now, configuration, extent }: Frame): string =>
  String(html`<!doctype html>
<html lang="en" data-build="${build}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link id="icon" rel="icon" href="${icon(level)}" data-unknown="${icon('none')}">
${extent === 'whole' && html`<style>${raw(styleSheet)}</style>`}
</head>
<body>
<header>
<h1><a href="${home}">snowgauge</a></h1>
<p class="asof"><span id="live">No automatic updates: <a href="">reload</a></span> &middot; as of <time id="asof" datetime="${isoOf(now)}">${utc(isoOf(now))}</time></p>
<p id="lost" role="alert"></p>
<p id="lead" class="${level}" role="status">${lead}</p>
</header>
<main id="page">
${configuration !== undefined && configurationNote(configuration)}
${main}
</main>
<footer id="footer">
<p><a href="metrics">/metrics</a> <a href="api/v1/status">/api/v1/status</a> <a href="api/v1/fleet">/api/v1/fleet</a> <a href="livez?verbose">/livez</a> <a href="readyz?verbose">/readyz</a></p>
<p>snowgauge ${version}, running since ${instant(isoOf(startedAt))}. Times are UTC.</p>
</footer>
${extent === 'whole' && html`<script>${raw(script)}</script>`}
</body>
</html>
`);

/** Level -> its words for one target, and for several. */
const says: Readonly<Record<Level, readonly [string, string]>> = {
  bad: ['is failing', 'are failing'],
  warn: ['needs attention', 'need attention'],
  none: ['is not known yet', 'are not known yet'],
  good: ['is healthy', 'are healthy'],
};

export const saidOf = (level: Level, count: number): string => says[level][count === 1 ? 0 : 1];

/** The icon of the browser tab. Each level has its own shape and colour. */
const icon = (level: Level): string => {
  const [colour, path] = icons[level];
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='4' fill='${colour}'/><path d='${path}' fill='none' stroke='#fff' stroke-width='2.5'/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
};

const icons: Readonly<Record<Level, readonly [colour: string, path: string]>> = {
  good: ['#116329', 'M3.5 8.5l3 3 6-7'],
  bad: ['#b3261e', 'M4 4l8 8M12 4l-8 8'],
  warn: ['#7d4e00', 'M8 3v6M8 11v2.5'],
  none: ['#59636e', 'M4 8h8'],
};
