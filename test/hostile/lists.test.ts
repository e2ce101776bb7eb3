// Discovery lists within the size limit, but invalid in as many places as possible, or too large together: a process with the image's flags survives.

import { expect, onTestFinished, test } from 'vitest';
import { serveHttp } from '../support/serve.ts';
import { most, watchBeside } from './beside.ts';

const labels = Array.from({ length: 9990 }, (_, at) => `"l${at}":[]`).join(',');

test.each([
  { list: 'of 149,000 targets that are numbers', text: `[{"targets":[${'1,'.repeat(148_999)}1]}]`, fault: '0.targets must be' },
  { list: 'of 10,000 labels that are lists', text: `[{"labels":{${labels}}}]`, fault: '0.labels must be' },
])('a discovery list $list is rejected and does not end the process', async ({ text, fault }) => {
  const body = Buffer.from(text);
  const server = await serveHttp((request, response) => {
    request.resume();
    response.end(body);
  });
  onTestFinished(() => server.close());
  const watching = await watchBeside([], onTestFinished, { discovery: { http: [{ url: server.url }] } });
  await expect.poll(watching.log).toContain(`is not a list of target groups: ${fault}`);
  expect(await watching.livez()).toBeGreaterThan(0);
  expect(watching.residentMiB()).toBeLessThanOrEqual(most.resident);
});

test('of 20 discovery lists of 3 MB, the first two are kept and the others rejected', async () => {
  const values = Array.from({ length: 100 }, (_, at) => `"l${at}":"Ж${'x'.repeat(140)}"`).join(',');
  const bodies = Array.from({ length: 20 }, (_, nth) =>
    Buffer.from(
      `[${Array.from({ length: 200 }, (_, at) => `{"targets":["127.9.${at}.${nth}:1"],"labels":{${values}}}`).join(',')}]`,
    ),
  );
  const server = await serveHttp((request, response) => {
    request.resume();
    response.end(bodies[Number(request.url?.slice(1))]);
  });
  onTestFinished(() => server.close());
  const http = bodies.map((_, nth) => ({ url: `${server.url}/${nth}`, refreshInterval: '1s' }));
  const watching = await watchBeside([], onTestFinished, { discovery: { http } });
  const refused = (): number => new Set(watching.log().match(/"http\/\d+","reason":"[^"]*all lists together/g)).size;
  await expect.poll(refused).toBe(18);
  expect(watching.isAlive()).toBe(true);
  expect(watching.residentMiB()).toBeLessThanOrEqual(most.resident);
});
