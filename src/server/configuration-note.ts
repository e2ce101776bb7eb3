// The page's note about the configuration: empty if the last reload succeeded.

import { html } from 'hono/html';
import type { ConfigurationStatus } from './configuration.ts';
import { type Html, instant, listed } from './parts.ts';

export const configurationNote = ({ source, loadedAt, reloadFailure, needRestart }: ConfigurationStatus): Html =>
  html`${reloadFailure !== undefined && refusal(source, loadedAt, reloadFailure)}${
    needRestart !== undefined &&
    html`<p class="note warn">Restart required: ${source} changed ${listed(needRestart)}.</p>
`
  }`;

const refusal = (
  source: string,
  loadedAt: string,
  { errors, leftOut }: { readonly errors: readonly string[]; readonly leftOut: number },
): Html => html`<section data-key="configuration" aria-labelledby="configuration">
<h2 id="configuration" class="note bad">Reload failed: the changed configuration is invalid</h2>
<p>snowgauge keeps the configuration of ${source} loaded at ${instant(loadedAt)} and retries automatically.</p>
<ul>
${errors.map(
  (error) => html`<li>${error}</li>
`,
)}</ul>
${leftOut > 0 && html`<p>${leftOut === 1 ? '1 more error is' : `${leftOut} more errors are`} not shown.</p>`}
</section>
`;
