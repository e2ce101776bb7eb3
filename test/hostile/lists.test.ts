// Lists of discovery within every bound of bytes, wrong in as many places as fit: a process with the image's flags goes on.

import { expect, onTestFinished, test } from 'vitest';
import { serveHttp } from '../support/serve.ts';
import { watchBeside } from './beside.ts';

const labels = Array.from({ length: 9990 }, (_, at) => `"l${at}":[]`).join(',');

test.each([
  { list: 'of 149,000 targets that are numbers', text: `[{"targets":[${'1,'.repeat(148_999)}1]}]`, fault: '0.targets must be' },
  { list: 'of 10,000 labels that are lists', text: `[{"labels":{${labels}}}]`, fault: '0.labels must be' },
])('a list $list is a failure', async ({ text, fault }) => {
  const body = Buffer.from(text);
  const server = await serveHttp((request, response) => {
    request.resume();
    response.end(body);
  });
  onTestFinished(() => server.close());
  const watching = await watchBeside([], onTestFinished, { discovery: { http: [{ url: server.url }] } });
  await expect.poll(watching.log, { timeout: 20_000 }).toContain(`is not a list of target groups: ${fault}`);
  expect(await watching.livez()).toBeGreaterThan(0);
  expect(watching.residentMiB()).toBeLessThanOrEqual(136);
});
