// Sends the bytes of a case and checks each response; throws on a fault.

import { isDeepStrictEqual } from 'node:util';
import { parseExposition } from '../support/exposition-parser.ts';
import { hash } from '../support/web-config.ts';
import { type Besieged, otherShard } from './besieged.ts';
import { hasPassword, right, secretsUnknownTo, token } from './credentials.ts';
import { judgePage } from './page-judge.ts';
import { destinations } from './paths.ts';
import { farewell, type RawCase } from './requests.ts';
import { type Answer, readAnswers, sendRaw } from './wire.ts';

/** The only headers that a response may have. */
const known = new Set(
  (
    'date connection keep-alive content-type content-length transfer-encoding content-encoding cache-control vary allow retry-after ' +
    'x-accel-buffering x-content-type-options content-security-policy referrer-policy node-id location www-authenticate access-control-allow-origin ' +
    'access-control-allow-credentials access-control-allow-methods access-control-allow-headers'
  ).split(' '),
);

/** Sends all cases concurrently, each on its own connection. */
export const playRequests = async ({ faults, ports, pass }: Besieged, cases: readonly RawCase[]) => {
  const before = faults.length;
  pass(0.01);
  const all = await Promise.all(cases.map((one) => playOne(ports, one)));
  if (faults.length > before) throw new Error('it ends the process', { cause: faults.at(-1) });
  const features = new Set(
    all.flatMap((answers, at) =>
      answers.flatMap((answer) => {
        const { status, headers } = answer;
        return [`${status} ${headers.get('content-type')}`, ...(hasChanged(answer) ? ['changed'] : [])].map(
          (what) => `${cases[at]?.to} ${what}`,
        );
      }),
    ),
  );
  return { answered: all.length, features, sizes: { answer: Math.max(0, ...all.flat().map(({ body }) => body.length)) } };
};

const playOne = async (ports: Besieged['ports'], one: RawCase): Promise<readonly Answer[]> => {
  const { to, bytes, pieces, requests } = one;
  const all = Buffer.from(bytes, 'latin1');
  const size = Math.ceil(all.length / pieces);
  const parts = Array.from({ length: pieces }, (_, at) => all.subarray(at * size, (at + 1) * size));
  const answers = readAnswers(await sendRaw(ports[to], parts)).filter(({ status }) => status >= 200);
  for (const answer of answers) {
    judgeAnswer(answer, to);
    judgeAccess(answer, one);
  }
  if (requests !== undefined && answers.length > requests) throw new Error(`${answers.length} answers to ${requests} requests`);
  return answers;
};

/** Checks that all servers still respond. */
export const judgeAlive = async ({ ports, pass }: Besieged): Promise<void> => {
  pass(3);
  for (const to of destinations) {
    const path = to === 'node' ? '/ext/health/liveness' : '/livez';
    const request = farewell.replace('/livez', path).replace('Host:', `Authorization: ${right.users}\r\nHost:`);
    const [answer] = readAnswers(await sendRaw(ports[to], [Buffer.from(request)]));
    if (answer?.status !== 200) throw new Error(`${to} answers ${answer?.status ?? 'nothing'} at ${path}`);
  }
};

/** An intended 5xx response: a 503 with a text or JSON body, and for unknown HTTP features of the node those of Go's server. */
const isMeant = ({ status, headers }: Answer, to: RawCase['to']): boolean =>
  (status === 503 || (to === 'node' && (status === 501 || status === 505))) &&
  headers.get('content-length') !== '0' &&
  /^(?:text\/plain|application\/json)/.test(headers.get('content-type') ?? '');

/** Whether the maintenance API reports that it started or ended a window. */
const hasChanged = ({ status, headers, body }: Answer): boolean => {
  if (status !== 200 || body === '' || !headers.get('content-type')?.startsWith('application/json')) return false;
  const said: unknown = JSON.parse(body);
  if (typeof said !== 'object' || said === null) return false;
  return 'window' in said || ('ended' in said && !isDeepStrictEqual(said.ended, []));
};

/** No access without credentials, and no secret in a response. */
const judgeAccess = (answer: Answer, { to, bytes }: RawCase): void => {
  const said = (): string => `${to}: ${answer.status} ${JSON.stringify(answer.body.slice(0, 300))}`;
  if (to === 'users' && !hasPassword(bytes) && !(answer.status >= 400 && answer.status < 500))
    throw new Error(`answered without a password: ${said()}`);
  if (to === 'token' && !bytes.includes(token) && hasChanged(answer)) throw new Error(`changed without a token: ${said()}`);
  const whole = [...answer.headers.values(), answer.body].join('\n');
  for (const secret of [hash, ...secretsUnknownTo(bytes)])
    if (whole.includes(secret)) throw new Error(`says a secret, ${secret}: ${said()}`);
};

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
  // Style and script are ours; the browser verifies them by the content security policy.
  const bare = body.replace(/<style>[^<]*<\/style>/, '').replace(/<script>.*?<\/script>(?=\s*<\/body>)/s, '');
  judgePage(bare, to === 'shard' ? otherShard : undefined);
};
