// The messages of the shipped receivers, from a real Alertmanager to stand-ins for PagerDuty, Slack and the watchdog service.

import { readFile } from 'node:fs/promises';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { hastened, shippedFile, startAlertmanager } from '../support/alertmanager.ts';
import { serveHttp } from '../support/serve.ts';
import { describeWith } from '../support/tools.ts';
import { until } from '../support/until.ts';

const secrets = { 'pagerduty-routing-key': 'the-key', 'watchdog-token': 'the-token' };

const alert = (name: string, severity: string, target: string) => ({
  labels: { alertname: `Snowgauge${name}`, severity, scope: 'node', target },
  annotations: { summary: `${name} of ${target}.`, runbook_url: `https://runbooks.example/${name}.md` },
});

for (const tool of ['alertmanager', 'prometheus-alertmanager']) {
  describeWith([tool], `the shipped receivers of ${tool}`, (program) => {
    test('send summaries with the secrets from files', async () => {
      const calls = new Map<string, { readonly authorization: string | undefined; readonly body: unknown }>();
      const server = await serveHttp((request, response) => {
        void json(request).then((body) => {
          calls.set(request.url ?? '', { authorization: request.headers.authorization, body });
          response.writeHead(request.url === '/pagerduty' ? 202 : 200).end('ok');
        });
      });
      onTestFinished(server.close);
      const text = hastened(await readFile(shippedFile, 'utf8'))
        .replace('pagerduty_configs:\n      - ', `$&url: ${server.url}/pagerduty\n        `)
        .replace('https://watchdog.example', `${server.url}/watchdog`);
      const files = { ...secrets, 'slack-webhook-url': `${server.url}/slack` };
      const { post, close } = await startAlertmanager(
        program,
        (folder) => text.replaceAll('/etc/alertmanager/secrets', folder),
        files,
      );
      onTestFinished(close);
      await post([
        ...['a', 'b'].flatMap((target) => [alert('TargetDown', 'critical', target), alert('PeersLow', 'warning', target)]),
        alert('Watchdog', 'none', ''),
      ]);
      await until('a call of each', async () => calls.size === 3);
      expect(calls.get('/pagerduty')?.body).toMatchObject({
        routing_key: 'the-key',
        event_action: 'trigger',
        payload: { summary: 'TargetDown of a. 2 alerts in this group.', severity: 'critical' },
      });
      expect(calls.get('/slack')?.body).toMatchObject({
        channel: '#validators',
        attachments: [
          {
            text: ['a', 'b']
              .map((target) => `firing: PeersLow of ${target}. <https://runbooks.example/PeersLow.md|runbook>\n`)
              .join(''),
          },
        ],
      });
      expect(calls.get('/watchdog/')).toMatchObject({ authorization: 'Bearer the-token', body: { status: 'firing' } });
    });
  });
}
