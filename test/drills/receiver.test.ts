// The servers of a drill: the receiver of alerts and notifications, and the proxy that loses scrapes.

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

  test('records each firing alert of Prometheus once, with its start time', async () => {
    const receiver = await startReceiver(() => at);
    onTestFinished(receiver.close);
    const url = `${receiver.url}/api/v2/alerts`;
    expect([await post(url, [resolved]), receiver.arrivals().length]).toEqual([200, 0]);
    expect([await post(url, [fires]), await post(url, [fires])]).toEqual([200, 200]);
    expect(receiver.arrivals()).toEqual([
      { alert: 'SnowgaugeTargetDown', labels: fires.labels, summary: 'It is down.', firedAt: 1_800_000_000.5 },
    ]);
  });

  test('records each notification of Alertmanager with its firing alerts', async () => {
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
    { what: 'invalid JSON', body: 'hello' },
    { what: 'unknown JSON', body: '{}' },
    { what: 'a body of 2 MiB', body: `"${'x'.repeat(2 * 1024 * 1024)}"` },
  ])('rejects $what with 400', async ({ body }) => {
    const receiver = await startReceiver(() => 0);
    onTestFinished(receiver.close);
    for (const path of ['/api/v2/alerts', '/notify'])
      expect(await post(`${receiver.url}${path}`, body).catch(() => 400)).toBe(400);
    expect([receiver.arrivals(), receiver.notifications()]).toEqual([[], []]);
  });
});

test('the proxy loses every third scrape and forwards the others', async () => {
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
