// Invalid values of probes that may restart the node, and addresses that other pods cannot reach.

import { expect, test } from 'vitest';
import { drawn } from '../support/cases.ts';
import { expectRefusal, helmTemplate, type Refused } from '../support/chart.ts';
import { describeWith } from '../support/tools.ts';

const loopback = drawn(['127.0.0.1', '127.0.1.1', '127.1', 'localhost', 'LocalHost', '::1', '[::1]', '0:0:0:0:0:0:0:1']);
const on = { enabled: true };
const short = { enabled: true, periodSeconds: 10, failureThreshold: 3 };

const refused: readonly Refused[] = [
  ...loopback.map((host) => ({
    error: `snowgauge listening on ${host}`,
    values: { config: { listen: { host } } },
    said: ['config.listen.host: the kubelet and Prometheus cannot reach it'],
  })),
  {
    error: 'a liveness probe that restarts a node for being slow',
    values: { nodeProbes: { startup: on, liveness: short } },
    said: ['nodeProbes.liveness: failureThreshold × periodSeconds is 30 s, and must be above 300 s'],
  },
  {
    error: 'a liveness probe without a startup probe',
    values: { nodeProbes: { liveness: on } },
    said: ['nodeProbes.liveness: needs nodeProbes.startup.enabled'],
  },
  {
    error: 'a startup probe of less than an hour',
    values: { nodeProbes: { startup: { ...on, failureThreshold: 359 } } },
    said: ['nodeProbes.startup: failureThreshold × periodSeconds is 3590 s, and must be at least 3600 s'],
  },
  ...(['startup', 'liveness'] as const).map((name) => ({
    error: `${name} on what snowgauge says`,
    values: { mode: 'sidecar', nodeProbes: { [name]: { ...on, source: 'snowgauge' } } },
    said: [`nodeProbes.${name}.source: snowgauge: while snowgauge is down`, 'restarts a healthy node repeatedly'],
  })),
  {
    error: 'a liveness probe on what snowgauge says that never acts',
    values: {
      nodeProbes: { liveness: { ...on, source: 'snowgauge', failureThreshold: 30 }, mayRestartHealthyNodes: true },
    },
    said: ['nodeProbes.liveness: failureThreshold × periodSeconds is 600 s: with source: snowgauge it never acts'],
  },
  {
    error: 'a probe without the address and scheme of the node',
    values: { mode: 'sidecar', nodeProbes: { startup: on } },
    said: [
      "nodeProbes.node.host: set it to the value of the node's flag http-host",
      'nodeProbes.node.scheme: set HTTP, or HTTPS',
      'a 404 is a failure',
    ],
  },
  {
    error: 'a liveness probe of the node behind a startup probe of snowgauge',
    values: {
      nodeProbes: { startup: { ...on, source: 'snowgauge' }, liveness: on, mayRestartHealthyNodes: true },
      allowUnsafe: true,
    },
    said: ['the values have 1 error(s)', 'nodeProbes.startup.source: must be node where nodeProbes.liveness.source is'],
  },
  ...(['startup', 'liveness'] as const).map((name) => ({
    error: `${name} probe with injection`,
    values: {
      mode: 'sidecar',
      injection: on,
      nodeProbes: { [name]: on, node: { host: '0.0.0.0', scheme: 'HTTP' } },
      allowUnsafe: true,
    },
    said: ['the values have 1 error(s)', `nodeProbes.${name}: not with injection.enabled`],
  })),
  ...[
    { scheme: 'HTTP', targets: [{ name: 'node', url: 'https://127.0.0.1:9750' }], port: 0 },
    { scheme: 'HTTPS', targets: [{ name: 'node', url: 'http://127.0.0.1:9750' }], port: 9750 },
    { scheme: 'HTTPS', targets: undefined, port: 0 },
  ].map(({ scheme, targets, port }) => ({
    error: `a probe with scheme ${scheme} for ${targets?.[0]?.url ?? 'the default target'}`,
    values: {
      mode: 'sidecar',
      config: targets && { targets },
      nodeProbes: { node: { host: '0.0.0.0', scheme, port }, startup: on },
    },
    said: [
      'the values have 1 error(s)',
      `nodeProbes.node.scheme: is ${scheme}, but config.targets has the other scheme for the same port`,
    ],
  })),
  ...drawn([
    ['--http-host=127.0.0.1'],
    ['--http-host', 'localhost'],
    ['--api-health-enabled=false'],
    ['--api-health-enabled', 'false'],
    ['--http-tls-enabled'],
    ['--http-port=9750'],
  ]).flatMap((args) =>
    (['startup', 'liveness'] as const).map((name) => ({
      error: `${name} probe in mode demo with ${args.join(' ')}`,
      values: { node: { args }, nodeProbes: { startup: on, [name]: on } },
      said: ['the values have 1 error(s)', `node.args: with ${args[0]}`, 'would restart it forever'],
    })),
  ),
  {
    error: 'an HTTPS probe of the node of mode demo',
    values: { nodeProbes: { startup: on, node: { scheme: 'HTTPS' } } },
    said: ['nodeProbes.node.scheme: the node of mode demo speaks HTTP'],
  },
  ...loopback.map((host) => ({
    error: `a probe of a node listening on ${host}`,
    values: { mode: 'sidecar', nodeProbes: { node: { host, scheme: 'HTTP' }, startup: on } },
    said: [`nodeProbes.node.host: the kubelet uses the pod IP, and a node that listens only on ${host}`],
  })),
];

describeWith(['helm'], 'the chart, for probes and addresses,', (helm = '') => {
  test.each(refused)('rejects $error', (row) => expectRefusal(helm, row));

  test.each([
    { allowed: 'a short liveness probe with allowUnsafe', values: { nodeProbes: { liveness: short }, allowUnsafe: true } },
    ...[
      { node: { host: '0.0.0.0', scheme: 'HTTPS' }, url: 'https://127.0.0.1:9750' },
      { node: { host: '0.0.0.0', scheme: 'HTTP' }, url: 'http://127.0.0.1:9750' },
      // The target is a proxy then.
      { node: { host: '0.0.0.0', scheme: 'HTTP', port: 9650 }, url: 'https://127.0.0.1:9750' },
    ].map(({ node, url }) => ({
      allowed: `startup and liveness probes of a reachable node: ${JSON.stringify(node)}, target ${url}`,
      values: { mode: 'sidecar', config: { targets: [{ name: 'node', url }] }, nodeProbes: { node, startup: on, liveness: on } },
    })),
    ...drawn(['--http-host=0.0.0.0', '--http-host=::', '--api-health-enabled=true', '--http-shutdown-wait=4s']).map((arg) => ({
      allowed: `the node of mode demo with ${arg}`,
      values: { node: { args: [arg] }, nodeProbes: { startup: on, liveness: on } },
    })),
    { allowed: 'an unreachable node without probes', values: { node: { args: ['--http-host=127.0.0.1'] } } },
    {
      allowed: 'probes of an unreachable node with allowUnsafe',
      values: {
        node: { args: ['--http-host', '127.0.0.1', '--api-health-enabled=false'] },
        nodeProbes: { startup: on, node: { scheme: 'HTTPS' } },
        allowUnsafe: true,
      },
    },
    ...drawn(['0.0.0.0', '::', '[::]', '10.0.0.127', '[2001:db8::1]', '127.example.org', 'localhost.example.org']).map(
      (host) => ({
        allowed: `a probe of a node listening on ${host}`,
        values: { mode: 'sidecar', nodeProbes: { node: { host, scheme: 'HTTP' }, startup: on } },
      }),
    ),
    {
      allowed: 'a liveness probe of snowgauge with mayRestartHealthyNodes',
      values: {
        mode: 'sidecar',
        nodeProbes: { liveness: { ...on, source: 'snowgauge' }, mayRestartHealthyNodes: true },
      },
    },
  ])('accepts $allowed', async ({ values }) => {
    expect(await helmTemplate(helm, { values: { mode: 'demo', ...values } })).toMatchObject({ code: 0, stderr: '' });
  });
});
