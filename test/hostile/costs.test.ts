// Input within all limits costs as much CPU as harmless input of the same size, compared in the same run.

import { expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../src/config/load.ts';
import { cpuOf } from '../support/own-cpu.ts';
import { serveHttp } from '../support/serve.ts';
import { watch } from '../support/watching.ts';

/** Maximum ratio. Before there were limits it was higher in each test: 7 per scrape for the long name, 30 for the slashes. */
const most = 4;

test('a field name of 1 KiB above 9,900 numbers makes polls and scrapes at most 4 times as expensive', async () => {
  let now = 1_800_000_000;
  const inner = (prefix: string, count: number, value: (at: number) => unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, value(at)]));
  const numbers = inner('a', 10, () => inner('n', 990, (at) => at));
  const watching = async (message: object) => {
    const check = { message, timestamp: new Date(now * 1000).toISOString(), duration: 5000 };
    const report = JSON.stringify({ checks: { odd: check }, healthy: true });
    const node = await serveHttp((request, response) => {
      request.resume();
      response.setHeader('content-type', 'application/json').end(report);
    });
    onTestFinished(() => node.close());
    const options = { indexes: [], info: false, validator: { enabled: false, expected: false } };
    return watch(node.url, () => now, options, { maxBodyBytes: 512 * 1024 });
  };
  const [long, short] = [await watching({ ['k'.repeat(1024)]: numbers }), await watching({ k: numbers, text: 'x'.repeat(1014) })];
  const cost = { long: { poll: 0, scrape: 0 }, short: { poll: 0, scrape: 0 } };
  for (let round = -5; round < 25; round += 1) {
    now += 30;
    for (const [name, one] of Object.entries({ long, short })) {
      const [poll, scrape] = [await cpuOf(() => one.poll()), await cpuOf(() => one.page())];
      const sum = name === 'long' ? cost.long : cost.short;
      // Warm-up: code is compiled meanwhile.
      if (round < 0) continue;
      sum.poll += poll;
      sum.scrape += scrape;
    }
  }
  for (const one of [long, short]) expect(one.target().lastPoll).toMatchObject({ answered: true, failures: [] });
  expect(cost.long.poll / cost.short.poll).toBeLessThan(most);
  expect(cost.long.scrape / cost.short.scrape).toBeLessThan(most);
});

const configured = (url: (at: number) => string): string =>
  `targets:\n${Array.from({ length: 1000 }, (_, at) => `- { name: n${at}, url: ${url(at)} }\n`).join('')}`;

test.each([
  { of: 'letters', path: 'a'.repeat(2000) },
  { of: 'slashes', path: '/'.repeat(2000) },
  { of: 'paths of the interface', path: `${'/ext'.repeat(500)}x` },
])(
  'a configuration of 1,000 aliases of a URL with 2 KB of $of costs at most 4 times as much as one of 1,000 URLs',
  async ({ path }) => {
    const texts = {
      aliases: configured((at) => (at === 0 ? `&u "http://10.0.0.1:9650/${path}"` : '*u')),
      plain: configured((at) => `"http://10.0.${at >> 8}.${at & 255}:9650"`),
    };
    const cost = { aliases: 0, plain: 0 };
    for (let round = -2; round < 5; round += 1) {
      for (const name of ['plain', 'aliases'] as const) {
        const seconds = await cpuOf(async () => expect((await parseConfig(texts[name], {})).kind).toBe('ok'));
        if (round >= 0) cost[name] += seconds;
      }
    }
    expect(cost.aliases / cost.plain).toBeLessThan(most);
  },
);
