// The text of the status page, as a person reads it.

import type { Targets } from '../../src/conditions/condition.ts';
import { serveExporter } from './exporter-server.ts';

/** Without style, script and tags, and with collapsed whitespace. */
export const textOf = (page: string): string =>
  page.replace(/<style>.*<\/style>|<script>.*<\/script>|<[^>]*>/gs, '').replace(/\s+/g, ' ');

export const pageOf = async (targets: Targets, path = '/') => {
  const { url } = await serveExporter({ targets });
  const response = await fetch(url + path);
  const page = await response.text();
  return { status: response.status, headers: response.headers, page, text: textOf(page) };
};
