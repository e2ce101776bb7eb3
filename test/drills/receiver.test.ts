// What stands around a drill: where alerts and notifications are sent to, and what loses scrapes.

import { describe, expect, onTestFinished, test } from 'vitest';
import { startLossy } from '../../src/drills/lossy.ts';
import { startReceiver } from '../../src/drills/receiver.ts';
import { serveAnswer } from '../support/serve.ts';

describe('the receiver', () => {
  const at = 1_800_000_003;
  const alert = (endsAt: string) => ({
    labels: { alertname: 'SnowgaugeTargetDown', target: 'node-1' },
    annotations: { summary: 'It is down.' },
    startsAt: '2027-01-15T08:00:00.5Z',
    endsAt,
  });
  const [fires, resolved] = [alert('2027-01-15T08:04:00Z'), alert('2027-01-15T08:00:02Z')];
  const post = async (url: string, body: unknown): Promise<number> =>
    (await fetch(url, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) })).status;

  test('writes down each alert of Prometheus that fires, once, and when', async () => {
    const receiver = await startReceiver(() => at);
    onTestFinished(receiver.close);
    const url = `${receiver.url}/api/v2/alerts`;
    expect([await post(url, [resolved]), receiver.arrivals().length]).toEqual([200, 0]);
    expect([await post(url, [fires]), await post(url, [fires])]).toEqual([200, 200]);
    expect(receiver.arrivals()).toEqual([
      { alert: 'SnowgaugeTargetDown', labels: fires.labels, summary: 'It is down.', firedAt: 1_800_000_000.5 },
    ]);
  });

  test('writes down each notification of Alertmanager, with what fires in it', async () => {
    const receiver = await startReceiver(() => at);
    onTestFinished(receiver.close);
    const [firing, ended] = ['firing', 'resolved'].map((status) => ({ status, labels: { target: status } }));
    const statuses = [[firing, ended], [ended], [firing]].map((alerts) =>
      post(`${receiver.url}/notify`, { receiver: 'pager', alerts }),
    );
    expect(await Promise.all(statuses)).toEqual([200, 200, 200]);
    const one = { receiver: 'pager', alerts: [{ target: 'firing' }], receivedAt: at };
    expect(receiver.notifications()).toEqual([one, one]);
    expect(receiver.arrivals()).toEqual([]);
  });

  test.each([
    { what: 'no JSON', body: 'hello' },
    { what: 'another JSON', body: '{}' },
    { what: 'far too much', body: `"${'x'.repeat(2 * 1024 * 1024)}"` },
  ])('refuses $what', async ({ body }) => {
    const receiver = await startReceiver(() => 0);
    onTestFinished(receiver.close);
    for (const path of ['/api/v2/alerts', '/notify'])
      expect(await post(`${receiver.url}${path}`, body).catch(() => 400)).toBe(400);
    expect([receiver.arrivals(), receiver.notifications()]).toEqual([[], []]);
  });
});

test('one scrape in so many is lost, and the others are passed on', async () => {
  const exporter = await serveAnswer(200, 'snowgauge_up 1\n', { 'content-type': 'text/plain; version=0.0.4' });
  onTestFinished(exporter.close);
  const lossy = await startLossy(() => exporter.url, 3, 280_000);
  onTestFinished(lossy.close);
  const scrape = (): Promise<string> =>
    fetch(`http://${lossy.host}/metrics`).then(
      async (response) => `${response.headers.get('content-type')} ${await response.text()}`,
      () => 'lost',
    );
  const page = 'text/plain; version=0.0.4 snowgauge_up 1\n';
  expect([await scrape(), await scrape(), await scrape(), await scrape()]).toEqual([page, page, 'lost', page]);
});
