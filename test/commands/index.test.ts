// The `snowgauge index` commands against the embedded node on a real socket.

import { beforeEach, describe, expect, test } from 'vitest';
import { idOf } from '../../src/protocol/id.ts';
import { containersOf, type Odd, serveIndex } from '../support/index-server.ts';
import { roundsToSettle, startTestNode, type TestNode } from '../support/node.ts';
import { runCommand, startCommand } from '../support/running-command.ts';

const scenario = `
chains:
  P: { history: 1500, blockInterval: 1s }
  X: { history: 40, blockInterval: 1s }
  C: { history: 5, blockInterval: 1s }
`;

let node: TestNode;
let url: string;

const index = (name: string, path: string, ...rest: string[]) => runCommand(['index', name, url, path, ...rest]);
const json = async (name: string, path: string, ...rest: string[]): Promise<Record<string, string>> =>
  JSON.parse((await index(name, path, ...rest, '--output', 'json')).stdout);

const settled = async (dialect: 'documented' | 'avalanchego'): Promise<void> => {
  node = await startTestNode({ indexEnabled: true, dialect }, scenario);
  await node.ticks(roundsToSettle);
  ({ url } = node);
};

describe.each(['documented', 'avalanchego'] as const)('snowgauge index with a node that speaks %s', (dialect) => {
  beforeEach(() => settled(dialect));

  test('get, number, accepted and range return the same container', async () => {
    const last = await json('get', 'P/block', '--last');
    const number = last.index ?? '';
    expect(Number(number)).toBeGreaterThan(1490);
    expect(await json('get', 'P/block', '--index', number)).toEqual(last);
    expect(await json('get', 'P/block', '--id', last.id ?? '')).toEqual(last);
    expect(await json('number', 'P/block', last.id ?? '')).toEqual({ index: number });
    expect(await json('accepted', 'P/block', last.id ?? '')).toEqual({ isAccepted: true });
    expect(await json('range', 'P/block', number, '1')).toEqual(last);
    expect((await index('number', '/ext/index/P/block', last.id ?? '')).stdout).toBe(`${number}\n`);
    expect((await index('accepted', 'ext/index/P/block', last.id ?? '')).stdout).toBe('accepted\n');
    const text = (await index('get', 'P/block', '--last')).stdout;
    for (const value of Object.values(last)) expect(text).toContain(value);
  });

  test('exits with 1 for a container that is not in the index', async () => {
    const unknown = idOf(Buffer.from('unknown'));
    expect(await index('accepted', 'P/block', unknown)).toEqual({ stdout: 'not accepted\n', stderr: '', code: 1 });
    expect(await index('number', 'P/block', unknown)).toMatchObject({
      stdout: '',
      code: 1,
      stderr: expect.stringContaining('not found'),
    });
    expect(await index('get', 'P/block', '--id', unknown)).toMatchObject({ stdout: '', code: 1 });
    expect(await index('get', 'P/block', '--index', '18446744073709551615')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no container at index 18446744073709551615'),
    });
    expect(await index('range', 'P/block', '999999', '1')).toMatchObject({ code: 1 });
  });

  test('exits with 3, not with 1, when the node rejects the request', async () => {
    const refused =
      dialect === 'documented'
        ? index('get', 'P/block', '--index', '0', '--encoding', 'hexnc')
        : index('range', 'P/block', '0', '0');
    expect(await refused).toMatchObject({
      stdout: '',
      code: 3,
      stderr: expect.stringContaining(
        `JSON-RPC error -32000: ${dialect === 'documented' ? "couldn't unmarshal" : 'numToFetch must'}`,
      ),
    });
  });

  test('range prints a line for each container, and fewer at the end of the index', async () => {
    const { stdout } = await index('range', 'C/block', '2', '1024');
    expect(stdout).toMatch(/^2 \S+ \S+\n3 \S+ \S+\n4 \S+ \S+\n$/);
  });

  test('walk prints every id once and in order, by ranges and with --one-by-one', async () => {
    const walked = await index('walk', 'X/block');
    expect(walked).toMatchObject({ stderr: '', code: 0 });
    const ids = walked.stdout.trimEnd().split('\n');
    expect(new Set(ids).size).toBe(40);
    expect(ids).toHaveLength(40);
    expect(await index('walk', 'X/block', '--one-by-one')).toEqual(walked);
    const lines = (await index('walk', 'X/block', '--from', '10', '--to', '11', '--output', 'json')).stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { index: '10', id: ids[10] },
      { index: '11', id: ids[11] },
    ]);
  });

  test('verify finds no errors, also with --ids and --numbers', async () => {
    const result = await json('verify', 'P/block', '--ids', '50', '--numbers', '100');
    expect(result).toMatchObject({ sound: true, from: '0', containers: 1500, end: '1500', missing: '0', findings: [] });
    expect(await index('verify', 'X/vtx', '--ids', '1')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/: no errors found\n$/),
    });
  });

  test('verify --from beyond the end of the index exits with 1 and says where the index ends', async () => {
    expect(await index('verify', 'X/block', '--from', '1000')).toEqual({
      stdout: 'gap    1000: no container 1000: the index has 40 containers\nX/block: it ends before 1000: 1 gap (1 missing)\n',
      stderr: '',
      code: 1,
    });
    expect(await json('verify', 'X/block', '--from', '1000')).toMatchObject({ sound: false, missing: '1', end: '1000' });
    // 40 is the next container, which has not been accepted yet.
    expect(await index('verify', 'X/block', '--from', '40')).toMatchObject({
      stdout: 'X/block: it ends before 40: no errors found\n',
      code: 0,
    });
  });

  test('walk on X/vtx says that X/block is the index since 1.10.0', async () => {
    const { stderr, stdout, code } = await index('walk', 'X/vtx');
    expect(stderr).toBe(
      'X/vtx is no longer populated since the Cortina activation: for node version 1.10.0 or higher, use X/block\n',
    );
    expect(stdout.trimEnd().split('\n')).toHaveLength(20);
    expect(code).toBe(0);
  });
});

describe('snowgauge index', () => {
  beforeEach(() => settled('documented'));

  test('walk --follow prints newly accepted containers until it is stopped', async () => {
    const walking = startCommand(['index', 'walk', url, 'C/block', '--follow', '--interval', '10ms']);
    await expect.poll(() => walking.stdout.split('\n').length).toBe(6);
    node.advance(3);
    await node.ticks(1);
    await expect.poll(() => walking.stdout.split('\n').length).toBe(9);
    walking.stop();
    expect((await walking.finished).code).toBe(130);
    expect(new Set(walking.stdout.trimEnd().split('\n')).size).toBe(8);
  });

  test('walk --follow says once when the index becomes shorter, and continues with the next container', async () => {
    const containers = containersOf(12);
    const heads = [4, undefined, 2, 7, 3, 3];
    const odd: Odd = ({ method }) => {
      if (method !== 'index.getLastAccepted') return undefined;
      const number = heads.length === 0 ? 11 : heads.shift();
      if (number === undefined) return { error: 'no containers have been accepted' };
      return { result: { ...containers[number], index: `${number}` } };
    };
    const server = await serveIndex({ containers, odd });
    expect(await runCommand(['index', 'walk', server.url, 'C/block', '--follow', '--interval', '1ms', '--to', '11'])).toEqual({
      stdout: containers.map(({ id }) => `${id}\n`).join(''),
      stderr: [
        'C/block has 5 containers\n',
        'C/block: index is shorter than before: it has 0 containers, waiting for container 5\n',
        'C/block: index is shorter than before: it has 4 containers, waiting for container 8\n',
      ].join(''),
      code: 0,
    });
  });

  test('verify reports a container that the node lost as a gap and exits with 1', async () => {
    await node.setFaults([{ fault: 'index-loses-container', index: 'C/block' }]);
    node.advance(3);
    await node.ticks(1);
    const verified = await index('verify', 'C/block');
    expect(verified.code).toBe(1);
    expect(verified.stdout).toMatch(
      /^gap {4}5: no container 5\nC\/block: 7 containers, indexes 0 to 7, .*: 1 gap \(1 missing\)\n$/,
    );
  });

  test('verify finds no errors in an empty index and says that it is empty', async () => {
    const empty = await startTestNode({ indexEnabled: true }, 'chains: { P: { history: 0, blockInterval: 1h } }');
    await empty.ticks(roundsToSettle);
    expect(await runCommand(['index', 'verify', empty.url, 'P/block'])).toEqual({
      stdout: 'P/block: it is empty: no errors found\n',
      stderr: '',
      code: 0,
    });
  });

  test('verify exits with 3 for a disabled index and prints how to enable it', async () => {
    const off = await startTestNode({ indexEnabled: false });
    const { code, stderr } = await runCommand(['index', 'verify', off.url, 'P/block']);
    expect(code).toBe(3);
    expect(stderr).toContain(`HTTP status 404 at ${off.url}/ext/index/P/block: is the node started with --index-enabled`);
  });

  test('get --encoding hexnc prints the bytes without their checksum', async () => {
    await settled('avalanchego');
    const [plain, checked] = [
      await json('get', 'C/block', '--index', '0', '--encoding', 'hexnc'),
      await json('get', 'C/block', '--index', '0'),
    ];
    expect(checked.bytes?.slice(0, -8)).toBe(plain.bytes);
  });
});

test.each([
  { error: 'no container', args: ['get', 'http://h', 'P/block'], says: '--id, --index or --last' },
  {
    error: 'two containers',
    args: ['get', 'http://h', 'P/block', '--last', '--index', '1'],
    says: 'cannot be used with',
  },
  { error: 'an unknown index', args: ['walk', 'http://h', 'P/tx'], says: 'P/block, X/block, C/block, X/tx, X/vtx' },
  { error: 'an invalid id', args: ['number', 'http://h', 'P/block', 'abc'], says: 'cb58' },
  { error: 'a negative number', args: ['walk', 'http://h', 'P/block', '--from', '-1'], says: '18446744073709551615' },
  {
    error: 'a number above 2^64 - 1',
    args: ['walk', 'http://h', 'P/block', '--to', '18446744073709551616'],
    says: '18446744073709551615',
  },
  {
    error: '--to before --from',
    args: ['walk', 'http://h', 'P/block', '--from', '2', '--to', '1'],
    says: '--to: 1 is before --from, 2',
  },
  { error: 'a range that is too long', args: ['range', 'http://h', 'P/block', '0', '1025'], says: 'from 0 to 1024' },
  {
    error: 'a missing credential file',
    args: ['walk', 'http://h', 'P/block', '--bearer-file', '/nowhere'],
    says: '--bearer-file: /nowhere: there is no such file',
  },
  {
    error: 'an invalid timeout',
    args: ['walk', 'http://h', 'P/block', '--timeout', '30'],
    says: '"30" is not a duration: write it as 30s',
  },
  { error: 'an empty file name', args: ['export', 'http://h', 'P/block', ''], says: 'must be the name of a file, or -' },
  { error: 'a rate of 0', args: ['walk', 'http://h', 'P/block', '--rate', '0'], says: 'above 0' },
])('snowgauge index exits with 2 for $error and prints what is valid', async ({ args, says }) => {
  const { code, stderr, stdout } = await runCommand(['index', ...args]);
  expect(code).toBe(2);
  expect(stderr.startsWith(`snowgauge index ${args[0]}: `)).toBe(true);
  expect(stderr).toContain(says);
  expect(stderr).not.toContain('s3cret');
  expect(stdout).toBe('');
});

test('snowgauge index escapes control characters of a response in text and JSON output', async () => {
  const evil = '\u001b]0;x\u0007\u009b2J\nline\r\u202e\u2028\ud800';
  const containers = containersOf(3).map((one) => ({ ...one, id: evil, encoding: evil, bytes: evil }));
  const served = await serveIndex({ containers });
  for (const output of ['text', 'json'])
    for (const [args, lines] of [
      [['get', served.url, 'P/block', '--last'], output === 'text' ? 5 : 1],
      [['range', served.url, 'P/block', '0', '3'], 3],
      [['walk', served.url, 'P/block'], 3],
      // verify prints the bytes and id of each container, and the second and third as duplicates.
      [['verify', served.url, 'P/block'], undefined],
    ] as const) {
      const { stdout } = await runCommand(['index', ...args, '--output', output]);
      const said = stdout.trimEnd().split('\n');
      for (const line of said) expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      if (lines === undefined) expect(stdout).toContain('also at 0');
      else expect(said).toHaveLength(lines);
    }
});

test('the help of each index command lists the exit codes', async () => {
  for (const command of ['get', 'walk', 'verify', 'export'])
    expect((await runCommand(['index', command, '--help'])).stdout).toContain('130 interrupted');
});

test('index get exits with 3 for an unreachable node after --tries attempts', async () => {
  const { code, stderr } = await runCommand(['index', 'get', 'http://127.0.0.1:9', 'P/block', '--last', '--tries', '2']);
  expect(code).toBe(3);
  expect(stderr).toMatch(/^P\/block: connection refused .*: retrying in 0.25 s\nP\/block: connection refused [^\n]*\n$/);
});

test('index walk sends --concurrency requests at once, each on its own connection', async () => {
  let release: () => void = () => undefined;
  const wait = new Promise<void>((resolve) => {
    release = resolve;
  });
  let held = 0;
  // Answers the first once three have arrived.
  const odd: Odd = ({ method }) => {
    if (method !== 'index.getContainerByIndex') return undefined;
    held += 1;
    if (held === 3) release();
    return { wait };
  };
  const served = await serveIndex({ containers: containersOf(6), odd });
  const args = ['--one-by-one', '--concurrency', '3', '--timeout', '1m', '--tries', '1'];
  expect(await runCommand(['index', 'walk', served.url, 'P/block', ...args])).toMatchObject({ code: 0 });
  expect(served.most()).toBe(3);
});

test('index verify of an unreachable node prints incomplete instead of no errors', async () => {
  const { stdout, code } = await runCommand(['index', 'verify', 'http://127.0.0.1:1', 'P/block', '--tries', '1']);
  expect([stdout, code]).toEqual(['P/block: no containers: incomplete\n', 3]);
});

test('index commands print "1 container" in the singular', async () => {
  const served = await serveIndex({ containers: containersOf(1) });
  const said = async (name: string, ...rest: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await runCommand(['index', name, served.url, 'P/block', ...rest]);
    return stdout + stderr;
  };
  expect(await said('verify')).toMatch(/^P\/block: 1 container, indexes 0 to 0, /);
  expect(await said('export', '-')).toContain('stdout: 1 container\n');
  expect(await said('export', '-', '--from', '5')).toContain('it has 1 container: ');
  expect(await said('walk', '--from', '5')).toContain('P/block has 1 container\n');
});
