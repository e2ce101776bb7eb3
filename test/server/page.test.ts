// The HTML of the status page, fetched over a real socket.

import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { text as script } from '../../src/server/browser/page.ts?browser';
import { unverified } from '../../src/sources/indexes/verification.ts';
import { pageOf } from '../support/page.ts';
import { failing, fresh, noon, passing, report, targetKnowing, targetOptions, targetsOf } from '../support/snapshot.ts';

const options = targetOptions();
const refused = { kind: 'refused', reason: 'ECONNREFUSED 127.0.0.1:9650' } as const;

/** A healthy target with one index, which was compared with its chain. */
const comparedIndex = (compared: { readonly drift: bigint; readonly agrees: boolean }) =>
  targetsOf(
    targetKnowing(targetOptions({ indexes: ['P/block'] }), {
      health: { all: fresh(report({ P: passing() })) },
      indexes: { 'P/block': fresh({ state: 'empty' }) },
      verifications: new Map([
        ['P/block', { ...unverified, chain: { compared: { block: { height: 6n, id: 'id' }, at: noon, ...compared } } }],
      ]),
    }),
  );

describe('the page', () => {
  test.each([
    {
      when: 'the node was not polled yet',
      targets: targetsOf(),
      says: ['node is not known yet.', 'node · not polled yet', 'the node has not responded yet'],
    },
    {
      when: 'all checks pass',
      targets: targetsOf(targetKnowing(options, { health: { all: fresh(report({ network: passing() })) } })),
      says: ['node is healthy.', 'node ✓ up', 'all ✓ ready ✓ healthy', '0 failing · 1 passing', '✓ 1 passes'],
    },
    {
      when: 'the node refuses connections',
      targets: targetsOf(targetKnowing(options, { health: { all: { state: 'failed', failure: refused, failedAt: noon } } })),
      says: ['node is failing', 'node ✕ down', 'connection refused (ECONNREFUSED 127.0.0.1:9650)'],
    },
    {
      when: 'a check fails',
      targets: targetsOf(
        targetKnowing(options, {
          health: { all: fresh(report({ bootstrapped: failing('subnets not bootstrapped', { message: ['subnet-a'] }) })) },
        }),
      ),
      says: [
        'all ✕ not ready ✕ unhealthy',
        'subnets not bootstrapped',
        'subnet-a',
        'for 1 min since 11:59:00',
        '2 in a row',
        '10 s ago',
      ],
    },
    {
      when: 'the last report is too old',
      targets: targetsOf(
        targetKnowing(options, {
          health: { all: { state: 'stale', value: report({ P: passing() }), at: noon - 91, failure: refused, failedAt: noon } },
        }),
      ),
      says: [
        'node ✕ down',
        'all ✕ not ready ! unknown',
        'From the last report, 1 min 31 s ago: healthy',
        'connection refused',
        '1 passed in the last report',
      ],
    },
    {
      when: 'the last report is current, and nothing responds any more',
      targets: targetsOf(
        targetKnowing(options, {
          health: { all: { state: 'stale', value: report({ P: passing() }), at: noon - 10, failure: refused, failedAt: noon } },
          process: { state: 'gone', failure: refused, since: noon },
        }),
      ),
      says: ['node is failing: connection refused', 'node ✕ no response', 'all ! unknown ! unknown'],
    },
    {
      when: 'the node answers something else',
      targets: targetsOf(
        targetKnowing(options, { health: { all: { state: 'failed', failure: { kind: 'host-forbidden' }, failedAt: noon } } }),
      ),
      says: ['node is failing: it gives no health report.', 'node ✕ down', 'HTTP status 403'],
    },
    {
      when: 'the checks pass of an unexpected node with one index that is off and one that fails',
      targets: targetsOf(
        targetKnowing(targetOptions({ indexes: ['P/block', 'X/block', 'C/block'], nodeId: 'NodeID-mine' }), {
          nodeId: 'NodeID-other',
          health: { all: fresh(report({ P: passing() })) },
          indexes: {
            'P/block': fresh({ state: 'off' }),
            'X/block': { state: 'stale', value: { state: 'empty' }, at: noon - 10, failure: refused, failedAt: noon },
            'C/block': fresh({ state: 'empty' }),
          },
        }),
      ),
      says: ['node is healthy, except for the NodeID, index P/block and index X/block.'],
    },
    {
      when: 'an index lacks blocks while the checks pass',
      targets: comparedIndex({ drift: 5n, agrees: true }),
      says: ['node is healthy, except for index P/block.', '5 behind in count'],
    },
    {
      when: 'an index has more blocks than the node of the report, behind one load balancer',
      targets: comparedIndex({ drift: -12n, agrees: false }),
      says: ['lacks the last block of its chain, 12 ahead in count'],
    },
    {
      when: 'a check has not run',
      targets: targetsOf(
        targetKnowing(options, {
          health: { all: fresh(report({ P: { error: 'not yet run', timestamp: 'never', duration: 0, contiguousFailures: 0 } })) },
        }),
      ),
      says: ['! not yet run', '0 failing · 1 not yet run', 'last run never URL'],
    },
    {
      when: 'the node shuts down before the first run of its checks',
      targets: targetsOf(
        targetKnowing(options, {
          health: {
            all: fresh(
              report({ shuttingDown: { error: 'not yet run', timestamp: 'never', duration: 0, contiguousFailures: 0 } }),
            ),
          },
        }),
      ),
      says: ['shuttingDown ✕ failing last run never last 1 h: failed once', '1 failing · 0 passing'],
    },
  ])('shows that $when', async ({ targets, says }) => {
    const { text } = await pageOf(targets);
    for (const words of says) expect(text).toContain(words);
  });

  test('of an unknown target is not green, although the other targets are healthy', async () => {
    const targets = targetsOf(targetKnowing(options, { health: { all: fresh(report({ network: passing() })) } }));
    const { status, page, text } = await pageOf(targets, '/?target=val-c');
    expect([status, /<title>(.*)<\/title>/.exec(page)?.[1]]).toEqual([404, '· no target val-c · snowgauge']);
    expect(page).toContain('<p id="lead" class="none"');
    expect(text).toContain('There is no target named val-c: it is neither configured nor discovered.');
  });

  test('escapes markup in the strings of a node', async () => {
    const escaped = '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;&lt;img src=x onerror=alert(1)&gt;';
    const markup = '<script>alert(1)</script>"\'&<img src=x onerror=alert(1)>';
    const { page } = await pageOf(
      targetsOf(
        targetKnowing(
          targetOptions({
            tagSets: [
              { name: 'all', tags: [] },
              { name: 'odd', tags: [markup] },
            ],
            indexes: ['P/block'],
          }),
          {
            nodeId: markup,
            health: { all: fresh(report({ [markup]: failing(markup, { message: { [markup]: [markup] } }) })) },
            indexes: {
              'P/block': { state: 'failed', failure: { kind: 'rpc-error', code: -32000, message: markup }, failedAt: noon },
            },
          },
        ),
      ),
    );
    expect(page.replace(script, '')).not.toMatch(/<script>(?!<)|<img/);
    expect(page).toContain(`<p class="error">${escaped}</p>`);
    expect(page).toContain(`<span class="name">${escaped}</span>`);
    expect(page).toContain(`<dd>${escaped}</dd>`);
    expect(page).toContain(`<small class="error">JSON-RPC error -32000: ${escaped}</small>`);
  });

  test('has a Content-Security-Policy that allows only its own style sheet and script', async () => {
    const { page, headers } = await pageOf(targetsOf());
    const hash = (text = ''): string => createHash('sha256').update(text).digest('base64');
    expect(headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      `style-src 'sha256-${hash(/<style>(.*)<\/style>/s.exec(page)?.[1])}'`,
      `script-src 'sha256-${hash(/<script>(.*)<\/script>/s.exec(page)?.[1])}'`,
      "connect-src 'self'",
      'img-src data:',
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(page.replace(script, '')).not.toMatch(/ style=| src=| on\w+=/);
  });

  test('leaves out the style sheet and the script with ?part=page', async () => {
    const targets = targetsOf(targetKnowing(options, { health: { all: fresh(report({ network: passing() })) } }));
    const whole = await pageOf(targets);
    const part = await pageOf(targets, '/?part=page');
    expect(part.page).not.toMatch(/<style|<script/);
    expect(part.text).toBe(whole.text);
  });

  test('shows the worst 200 checks and says how many are left out', async () => {
    const many = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`check-${n}`, passing()]));
    const { page, text } = await pageOf(
      targetsOf(targetKnowing(options, { health: { all: fresh(report({ ...many, zebra: failing('lost') })) } })),
    );
    expect(page.match(/data-key="(?:check-|zebra)/g)).toHaveLength(200);
    expect(text).toContain('zebra');
    expect(text).toContain('51 more checks are not shown');
  });

  test('puts the worst target, tag set and check first', async () => {
    const sets = [
      { name: 'good', tags: ['t'] },
      { name: 'lame', tags: [] },
    ];
    const checks = { c: passing(), newest: failing('e'), eldest: failing('e', { timeOfFirstFailure: noon - 900 }) };
    const { text } = await pageOf(
      targetsOf(
        targetKnowing(targetOptions({ name: 'fine' }), { health: { all: fresh(report({ a: passing() })) } }),
        targetKnowing(targetOptions({ name: 'poor', tagSets: sets }), {
          health: { lame: fresh(report(checks)), good: fresh(report({ c: passing() })) },
          tags: { adds: new Map([['t', true]]), toAsk: 0, open: [] },
        }),
      ),
    );
    const order = ['poor ✓ up', 'lame ✕ not ready', 'good ✓ ready', 'eldest ✕ failing', 'newest ✕ failing', 'fine ✓ up'].map(
      (words) => text.indexOf(words),
    );
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order).not.toContain(-1);
  });

  test('shows a check of several tag sets once, with the tag sets that it counts for', async () => {
    const sets = [
      { name: 'all', tags: [] },
      { name: 'a', tags: ['t'] },
      { name: 'b', tags: ['u'] },
    ];
    const global = { disk: failing('full') };
    const { text } = await pageOf(
      targetsOf(
        targetKnowing(targetOptions({ tagSets: sets }), {
          health: {
            all: fresh(report({ ...global, chain: failing('stuck'), own: failing('lone') })),
            a: fresh(report({ ...global, chain: failing('stuck') })),
            b: fresh(report(global)),
          },
        }),
      ),
    );
    expect(text.match(/chain ✕ failing stuck/g)).toHaveLength(1);
    expect(text).toMatch(/disk ✕ failing full .*? counts for every tag set/);
    expect(text).toMatch(/chain ✕ failing stuck .*? counts for a /);
    expect(text).toMatch(/own ✕ failing lone .*? counts for the whole node only/);
  });
});

test('without targets, the page says that no targets are configured', async () => {
  expect((await pageOf(new Map())).text).toContain('No targets are configured.');
});

describe('indexes', () => {
  test('show their last index, their growth rate and the age of their last container', async () => {
    const last = { id: '2SUG', bytes: '0x', timestamp: '2026-11-20T11:59:40Z', encoding: 'hex', index: 1_234_567n };
    const { text } = await pageOf(
      targetsOf(
        targetKnowing(targetOptions({ indexes: ['P/block', 'X/tx', 'C/block'] }), {
          indexes: {
            'P/block': fresh({ state: 'ok', last }),
            'X/tx': fresh({ state: 'historical', last }),
            'C/block': fresh({ state: 'off' }),
          },
          growth: new Map([
            [
              'P/block',
              [
                { count: 1_234_500n, at: noon - 65 },
                { count: 1_234_568n, at: noon - 5 },
              ],
            ],
          ]),
        }),
      ),
    );
    expect(text).toContain('P/block ✓ ok 1 234 567 1.13 /s 20 s ago');
    expect(text).toContain('X/tx · historical');
    expect(text).toContain('C/block ! off – – –');
  });
});
