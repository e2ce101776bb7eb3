// The families of messages: a row claims a field; unclaimed fields are exported once under their own name.

import { describe, expect, test } from 'vitest';
import type { CheckResult } from '../../../src/protocol/health.ts';
import { samples, seriesOf } from '../../support/metrics.ts';
import { failing, fresh, noon, passing, report, targetKnowing, targetOptions } from '../../support/snapshot.ts';

const knowing = (checks: Readonly<Record<string, CheckResult>>) =>
  targetKnowing(targetOptions(), { health: { all: fresh(report(checks)) } });
const saying = (check: string, message: unknown) => knowing({ [check]: passing({ message }) });

const own = '{target="node"}';
const consensus = { lastAcceptedHeight: 7, lastAcceptedID: '2SUG', longestProcessingBlock: '1m5.5s', processingBlocks: 3 };
const chain = {
  engine: { consensus, vm: null },
  networking: { percentConnected: 0.8, disconnectedValidators: ['NodeID-A', 'NodeID-B'] },
};

describe('a field that a row claims', () => {
  test.each([
    { check: 'network', message: { connectedPeers: 12 }, gives: 'network_connected_peers', value: 12 },
    { check: 'network', message: { sendFailRate: 0.05 }, gives: 'network_send_fail_ratio', value: 0.05 },
    {
      check: 'network',
      message: { timeSinceLastMsgReceived: '2.5s' },
      gives: 'network_last_message_received_timestamp_seconds',
      value: noon - 12.5,
    },
    {
      check: 'network',
      message: { timeSinceLastMsgSent: '500ms' },
      gives: 'network_last_message_sent_timestamp_seconds',
      value: noon - 10.5,
    },
    { check: 'diskspace', message: { availableDiskBytes: 68_841_676_800 }, gives: 'disk_available_bytes', value: 68_841_676_800 },
    { check: 'diskspace', message: { availableDiskPercentage: 25 }, gives: 'disk_available_ratio', value: 0.25 },
    { check: 'router', message: { outstandingRequests: 9 }, gives: 'router_outstanding_requests', value: 9 },
    {
      check: 'router',
      message: { longestRunningRequest: '1h2m3.5s' },
      gives: 'router_longest_running_request_seconds',
      value: 3723.5,
    },
    {
      check: 'bootstrapped',
      message: ['2bRC', '11111111111111111111111111111111LpoYY'],
      gives: 'bootstrapping_subnets',
      value: 2,
    },
    { check: 'bootstrapped', message: [], gives: 'bootstrapping_subnets', value: 0 },
    {
      check: 'futureupgrade',
      message: { modeUpgradeTime: '2026-11-20T13:00:00+01:00' },
      gives: 'upgrade_timestamp_seconds',
      value: noon,
    },
    {
      check: 'futureupgrade',
      message: { localUpgradeTime: '2026-11-20T13:00:00+01:00' },
      gives: 'upgrade_local_timestamp_seconds',
      value: noon,
    },
    { check: 'futureupgrade', message: { modeUpgradeWeightPercentage: 62.5 }, gives: 'upgrade_weight_ratio', value: 0.625 },
  ])('$message of $check gives only $gives, with value $value', async ({ check, message, gives, value }) => {
    const target = saying(check, message);
    expect(await samples(target, gives)).toEqual({ [`${gives}${own}`]: value });
    expect(await samples(target, 'check_message')).toEqual({});
  });

  test.each(['1970-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '9999-12-01T00:00:00Z', 'soon', 12])(
    'an upgrade time of %j gives no sample',
    async (modeUpgradeTime) => {
      expect(await samples(saying('futureupgrade', { modeUpgradeTime }), 'upgrade_timestamp')).toEqual({});
    },
  );

  test.each(['P', '273SP9KKPNxfRUD9wtaBxDcR3cuGrtWjvYjV5D38u2mtGsw8jQ', 'network'])(
    'of a chain is recognised by the shape of the message, whatever the chain is called: %s',
    async (name) => {
      const labels = `{target="node",chain="${name}"}`;
      expect(await samples(saying(name, chain), 'chain_')).toEqual({
        [`chain_last_accepted_height${labels}`]: 7,
        [`chain_processing_blocks${labels}`]: 3,
        [`chain_longest_processing_block_seconds${labels}`]: 65.5,
        [`chain_connected_ratio${labels}`]: 0.8,
        [`chain_disconnected_validators${labels}`]: 2,
      });
    },
  );

  test('of a bootstrapping chain gives only the values that exist', async () => {
    const message = { engine: { consensus: {}, vm: null }, networking: { percentConnected: 1 } };
    expect(await samples(saying('X', message), 'chain_')).toEqual({
      'chain_connected_ratio{target="node",chain="X"}': 1,
    });
  });

  test('is not counted if the message was truncated, because the list may have been longer', async () => {
    const target = knowing({ P: passing({ message: chain, messageCut: true }) });
    expect(await samples(target, 'chain_disconnected')).toEqual({});
    expect(await samples(target, 'chain_connected')).toEqual({ 'chain_connected_ratio{target="node",chain="P"}': 0.8 });
  });

  test('is unmapped if it is a number and the row expects a duration, or the reverse', async () => {
    const target = saying('router', { longestRunningRequest: 5, outstandingRequests: '7s' });
    expect(await samples(target, 'router')).toEqual({});
    expect(await samples(target, 'check_message')).toEqual({
      'check_message_value{target="node",check="router",field="longestRunningRequest"}': 5,
      'check_message_seconds{target="node",check="router",field="outstandingRequests"}': 7,
    });
  });

  test('that is an age is unmapped until the check has run, because there is no time to count from', async () => {
    const target = knowing({
      network: failing('not yet run', { timestamp: 'never', message: { timeSinceLastMsgSent: '3s' } }),
    });
    expect(await samples(target, 'network')).toEqual({});
    expect(Object.values(await samples(target, 'check_message_seconds'))).toEqual([3]);
  });

  test('is unmapped in a check of another name', async () => {
    const target = saying('net', { connectedPeers: 1 });
    expect(Object.keys(await samples(target, 'check_message_value'))).toHaveLength(1);
    expect(await samples(target, 'network')).toEqual({});
  });
});

const unmapped = async (message: unknown): Promise<Record<string, number>> => {
  const series = await seriesOf(saying('custom', message));
  const own = series.filter(({ name }) => name.startsWith('snowgauge_check_message_'));
  return Object.fromEntries(own.map(({ name, labels, value }) => [`${name.slice(24)} ${labels.get('field')}`, value]));
};

describe('a field that no row claims', () => {
  test.each([
    { message: { pendingProofs: 4 }, gives: { 'value pendingProofs': 4 } },
    { message: { wait: '1m5s' }, gives: { 'seconds wait': 65 } },
    { message: { wait: '146.068µs' }, gives: { 'seconds wait': 0.000146068 } },
    { message: { vm: { database: null, health: 200 } }, gives: { 'value vm.health': 200 } },
    {
      message: { 'primary network validator health': { ingressConnectionCount: 3 } },
      gives: { 'value primary network validator health.ingressConnectionCount': 3 },
    },
    { message: 5, gives: { 'value .': 5 } },
    { message: '3s', gives: { 'seconds .': 3 } },
    { message: { '': 5 }, gives: { 'value \\e': 5 } },
    { message: { 'a.b': 1, a: { b: 2 } }, gives: { 'value a\\.b': 1, 'value a.b': 2 } },
    { message: { 'a\\': { b: 1 }, 'a\\.b': 2 }, gives: { 'value a\\\\.b': 1, 'value a\\\\\\.b': 2 } },
    { message: { a: -1.5e-7, b: 1e21 }, gives: { 'value a': -1.5e-7, 'value b': 1e21 } },
  ])('$message gives $gives', async ({ message, gives }) => {
    expect(await unmapped(message)).toEqual(gives);
  });

  test.each([
    ['text', { a: 'running' }],
    ['text that is a number', { a: '12', b: '0' }],
    ['a boolean', { a: true }],
    ['null', { a: null }],
    ['an array', { a: [1, 2, 3] }],
    ['an infinite number', JSON.parse('{"a":1e999}')],
  ])('that is %s gives nothing', async (_, message) => {
    expect(await unmapped(message)).toEqual({});
  });

  test('named like an object member is exported like any other', async () => {
    expect(await unmapped(JSON.parse('{"__proto__":{"a":1},"constructor":2}'))).toEqual({
      'value __proto__.a': 1,
      'value constructor': 2,
    });
  });
});

const dropped = 'check_fields_dropped{target="node",check="custom"}';
const numbered = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`field${at}`, at]));
const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let at = 0; at < depth; at += 1) value = { a: value };
  return value;
};

describe('the limits of a message', () => {
  test('50 unmapped fields are all exported', async () => {
    expect(Object.keys(await unmapped(numbered(50)))).toHaveLength(50);
    expect(await samples(saying('custom', numbered(50)), 'check_fields_dropped')).toEqual({});
  });

  test('51 unmapped fields are not exported, only their number', async () => {
    expect(await unmapped(numbered(51))).toEqual({});
    expect(await samples(saying('custom', numbered(51)), 'check_fields_dropped')).toEqual({ [dropped]: 51 });
  });

  test('claimed fields are exported and not counted', async () => {
    const target = saying('router', { ...numbered(51), outstandingRequests: 3 });
    expect(await samples(target, 'router')).toEqual({ [`router_outstanding_requests${own}`]: 3 });
    expect(Object.values(await samples(target, 'check_fields_dropped'))).toEqual([51]);
  });

  test('16 levels of nesting are exported, deeper fields are counted as dropped', async () => {
    expect(Object.keys(await unmapped(nested(16)))).toEqual([`value ${'a.'.repeat(15)}a`]);
    expect(await unmapped(nested(17))).toEqual({});
    expect(await samples(saying('custom', nested(17)), 'check_fields_dropped')).toEqual({ [dropped]: 1 });
  });

  test.each([
    ['numbers in an array', { a: [1, 2, 3] }, 3],
    ['numbers and durations inside an array', { a: [{ b: 1, c: '2s', d: 'text' }, [4]] }, 3],
    ['a message that is an array', [1, 2], 2],
    ['an array next to exported fields', { a: 1, b: [2] }, 1],
    ['an array that is nested too deep', [nested(16)], 1],
  ])('counts %s as dropped', async (_, message, count) => {
    expect(await samples(saying('custom', message), 'check_fields_dropped')).toEqual({ [dropped]: count });
  });

  test('an array that a row claims is not counted', async () => {
    expect(await samples(saying('bootstrapped', [1, 2]), 'check_fields_dropped')).toEqual({});
  });

  test('a message 100,000 levels deep is counted, without a stack overflow', async () => {
    expect(await samples(saying('custom', nested(100_000)), 'check_fields_dropped')).toEqual({ [dropped]: 1 });
  });

  test('a long key is cut to 128 characters, and two with the same beginning stay distinct', async () => {
    const fields = Object.keys(await unmapped({ [`${'k'.repeat(500)}a`]: 1, [`${'k'.repeat(500)}b`]: 2 }));
    expect(fields).toHaveLength(2);
    for (const field of fields) expect(field.slice('value '.length)).toHaveLength(128);
  });
});
