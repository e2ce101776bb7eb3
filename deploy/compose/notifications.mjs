// Where Alertmanager of deploy/compose.yaml sends to: it shows the last notifications, in its log and at http://127.0.0.1:9094.

import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

const port = Number(process.env.PORT ?? 9094);
const maxShown = 100;
const shown = [];

/** POST /pager -> `12:00:00 pager, firing: SnowgaugeTargetDown`, and a line an alert */
const textOf = (receiver, { status, groupLabels, alerts }) =>
  // An alert that has ended is in the next notification of its group too.
  [
    `${new Date().toISOString()} ${receiver}, ${status}, ${alerts.length} in group ${JSON.stringify(groupLabels)}`,
    ...alerts.map((one) => `  ${one.status} ${one.labels.severity} ${one.labels.alertname}: ${one.annotations.summary ?? ''}`),
  ].join('\n');

createServer((request, response) => {
  if (request.method !== 'POST') {
    response.setHeader('content-type', 'text/plain; charset=utf-8');
    response.end(shown.length === 0 ? 'No notification yet.\n' : `${shown.toReversed().join('\n')}\n`);
    return;
  }
  json(request)
    .then((notification) => {
      const text = textOf(request.url.slice(1), notification);
      process.stdout.write(`${text}\n`);
      shown.push(text);
      if (shown.length > maxShown) shown.shift();
      response.end();
    })
    .catch(() => response.writeHead(400).end());
}).listen(port, function () {
  process.stdout.write(`listening on port ${this.address().port}\n`);
});

for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit());
