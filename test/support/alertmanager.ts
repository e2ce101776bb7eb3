// Starts a real Alertmanager with its own folder and a configuration from the test.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startChild } from '../../src/drills/child.ts';

export const shippedFile = new URL('../../deploy/prometheus/alertmanager.yml', import.meta.url);

/**
 * Shortens durations in the shipped file; alerts of a group that are posted at once still arrive within them on a slow machine.
 */
export const hastened = (text: string): string => text.replaceAll(/(group_wait|group_interval): \S+/g, '$1: 2s');

type Texts = Readonly<Record<string, string>>;

export interface Alertmanager {
  readonly post: (alerts: readonly { readonly labels: Texts; readonly annotations?: Texts }[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** `files` are written beside the configuration, which gets the path of their folder. */
export const startAlertmanager = async (
  program: string,
  configuration: (folder: string) => string,
  files: Texts = {},
): Promise<Alertmanager> => {
  const folder = await mkdtemp(join(tmpdir(), 'snowgauge-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const file = join(folder, 'alertmanager.yml');
  await writeFile(file, configuration(folder));
  const listen = ['--web.listen-address=127.0.0.1:0', '--cluster.listen-address='];
  const child = startChild('Alertmanager', program, [`--config.file=${file}`, `--storage.path=${folder}/data`, ...listen]);
  const url = `http://127.0.0.1:${await child.port}/api/v2/alerts`;
  return {
    post: async (alerts) => {
      const headers = { 'content-type': 'application/json' };
      const { status } = await fetch(url, { method: 'POST', body: JSON.stringify(alerts), headers });
      expect(status).toBe(200);
    },
    close: async () => {
      await child.stop();
      await rm(folder, { recursive: true });
    },
  };
};
