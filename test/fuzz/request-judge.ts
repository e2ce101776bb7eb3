// Sends the bytes of a case, and judges each answer; throws what it finds.

import { parseExposition } from '../support/exposition-parser.ts';
import { type Besieged, otherShard } from './besieged.ts';
import { judgePage } from './page-judge.ts';
import { farewell, type RawCase } from './requests.ts';
import { type Answer, readAnswers, sendRaw } from './wire.ts';

/** Whatever is asked, an answer has these and no other. */
const known = new Set(
  (
    'date connection keep-alive content-type content-length transfer-encoding content-encoding cache-control vary allow retry-after ' +
    'x-accel-buffering x-content-type-options content-security-policy referrer-policy node-id location access-control-allow-origin ' +
    'access-control-allow-credentials access-control-allow-methods access-control-allow-headers'
  ).split(' '),
);

/** All at the same time, each on a connection of its own. */
export const playRequests = async ({ faults, ports }: Besieged, cases: readonly RawCase[]) => {
  const before = faults.length;
  const all = await Promise.all(cases.map((one) => playOne(ports, one)));
  if (faults.length > before) throw new Error('it ends the process', { cause: faults.at(-1) });
  const features = new Set(
    all.flatMap((answers, at) =>
      answers.map(({ status, headers }) => `${cases[at]?.to} ${status} ${headers.get('content-type')}`),
    ),
  );
  return { answered: all.length, features, sizes: { answer: Math.max(0, ...all.flat().map(({ body }) => body.length)) } };
};

const playOne = async (ports: Besieged['ports'], { to, bytes, pieces, requests }: RawCase): Promise<readonly Answer[]> => {
  const all = Buffer.from(bytes, 'latin1');
  const size = Math.ceil(all.length / pieces);
  const parts = Array.from({ length: pieces }, (_, at) => all.subarray(at * size, (at + 1) * size));
  const answers = readAnswers(await sendRaw(ports[to], parts)).filter(({ status }) => status >= 200);
  for (const answer of answers) judgeAnswer(answer, to);
  if (requests !== undefined && answers.length > requests) throw new Error(`${answers.length} answers to ${requests} requests`);
  return answers;
};

/** All still answer, and at once. */
export const judgeAlive = async ({ ports }: Besieged): Promise<void> => {
  for (const [to, port] of Object.entries(ports)) {
    const path = to === 'node' ? '/ext/health/liveness' : '/livez';
    const [answer] = readAnswers(await sendRaw(port, [Buffer.from(farewell.replace('/livez', path))]));
    if (answer?.status !== 200) throw new Error(`${to} answers ${answer?.status ?? 'nothing'} at ${path}`);
  }
};

/** Unready, unhealthy, and too much at once are said so, in words; the node answers what it does not know of HTTP as Go's server does. */
const isMeant = ({ status, headers }: Answer, to: RawCase['to']): boolean =>
  (status === 503 || (to === 'node' && (status === 501 || status === 505))) &&
  headers.get('content-length') !== '0' &&
  /^(?:text\/plain|application\/json)/.test(headers.get('content-type') ?? '');

const judgeAnswer = (answer: Answer, to: RawCase['to']): void => {
  const { status, headers, body } = answer;
  const said = (): string => `${to}: ${status} ${JSON.stringify(body.slice(0, 300))}`;
  if (status >= 500 && !isMeant(answer, to)) throw new Error(`a fault of the server's: ${said()}`);
  for (const name of headers.keys()) if (!known.has(name)) throw new Error(`a header ${name}: ${said()}`);
  if (body.length > 2_000_000) throw new Error(`${body.length} bytes: ${said()}`);
  const type = headers.get('content-type') ?? '';
  if (body === '') return;
  if (type.startsWith('application/json')) JSON.parse(body);
  if (type.startsWith('application/openmetrics-text')) parseExposition(body, 'openmetrics');
  if (type.startsWith('text/plain; version=')) parseExposition(body, 'text');
  if (!type.startsWith('text/html')) return;
  // The style and the script are ours, which the browser compares with the page's policy.
  const bare = body.replace(/<style>[^<]*<\/style>/, '').replace(/<script>.*?<\/script>(?=\s*<\/body>)/s, '');
  judgePage(bare, to === 'shard' ? otherShard : undefined);
};
