// Runs the Prometheus and the Alertmanager of a drill.

import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pause } from '../pause.ts';
import type { Settings } from '../rules/settings.ts';
import { askText, query } from './ask.ts';
import { type Child, ChildFault, startChild } from './child.ts';
import { drillAlertmanagerFile, noRules, prometheusFile, rulesFile, type Scraped, targetsFile } from './configuration.ts';
import type { Tools } from './tools.ts';

export type Watchers = Awaited<ReturnType<typeof startWatchers>>;

interface Given {
  readonly folder: string;
  readonly tools: Tools;
  /** The URL to which Prometheus sends alerts, and Alertmanager notifications. */
  readonly receiver: string;
  readonly settings: Settings;
}

const firstScrapeMs = 60_000;

export const startWatchers = async ({ folder, tools, receiver, settings }: Given, keep: (child: Child) => Child) => {
  const file = (name: string): string => join(folder, name);
  const sendTo = [new URL(receiver).host];
  if (tools.alertmanager !== undefined) {
    await writeFile(file('alertmanager.yml'), drillAlertmanagerFile(settings, `${receiver}/notify`));
    const alertmanager = keep(
      startChild('Alertmanager', tools.alertmanager, [
        `--config.file=${file('alertmanager.yml')}`,
        `--storage.path=${file('alertmanager')}`,
        '--web.listen-address=127.0.0.1:0',
        '--cluster.listen-address=',
      ]),
    );
    sendTo.push(`127.0.0.1:${await alertmanager.port}`);
  }
  await writeFile(file('targets.json'), targetsFile([]));
  await writeFile(file('rules.yaml'), noRules);
  await writeFile(file('prometheus.yml'), prometheusFile(file('targets.json'), file('rules.yaml'), sendTo));
  const prometheus = keep(
    startChild('Prometheus', tools.prometheus, [
      `--config.file=${file('prometheus.yml')}`,
      `--storage.tsdb.path=${file('data')}`,
      '--web.listen-address=127.0.0.1:0',
      '--web.enable-lifecycle',
      '--rules.alert.resend-delay=1s',
    ]),
  );
  const url = `http://127.0.0.1:${await prometheus.port}`;
  /** Replaces the list of scraped exporters. The file is renamed into place, because Prometheus may read it at any time. */
  const scrapeOnly = async (exporters: readonly Scraped[]): Promise<void> => {
    await writeFile(file('targets.new'), targetsFile(exporters));
    await rename(file('targets.new'), file('targets.json'));
  };
  return {
    prometheus: url,
    /**
     * Resolves when these exporters have been scraped, and the rules are loaded. Prometheus takes some seconds to find its first target:
     * until then there are no samples of an exporter, and an alert about that would be correct.
     */
    scrape: async (exporters: readonly Scraped[], signal: AbortSignal): Promise<void> => {
      await scrapeOnly(exporters);
      const late = AbortSignal.timeout(firstScrapeMs);
      while (!signal.aborted && (await query(url, 'up == 1', signal)).length < exporters.length) {
        if (late.aborted) throw new ChildFault(`Prometheus has not scraped the exporter within ${firstScrapeMs / 1000} s`);
        await pause(0.1, signal);
      }
      await writeFile(file('rules.yaml'), rulesFile(settings));
      await askText(`${url}/-/reload`, signal, 'POST');
    },
    scrapeOnly,
    /** Resolves when the query returns nothing, or on timeout. */
    gone: async (promql: string, signal: AbortSignal): Promise<void> => {
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(firstScrapeMs)]);
      while (!inTime.aborted && (await query(url, promql, inTime)).length > 0) await pause(0.1, inTime);
    },
  };
};
