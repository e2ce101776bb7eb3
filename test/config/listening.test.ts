// Where a snowgauge listens whose configuration cannot be used.

import { expect, test } from 'vitest';
import { listeningOf } from '../../src/config/listening.ts';

const usual = { listen: { host: '0.0.0.0', port: 9652 } };

test.each([
  { text: 'says nothing', yaml: '', env: {}, is: usual },
  { text: 'is no YAML', yaml: 'listen: {port: 9700', env: {}, is: usual },
  { text: 'is no mapping', yaml: '[1, 2]', env: {}, is: usual },
  {
    text: 'is right there and wrong elsewhere',
    yaml: 'listen: { port: 9700 }\nx: y',
    env: {},
    is: { listen: { host: '0.0.0.0', port: 9700 } },
  },
  {
    text: 'has a variable that is not set',
    yaml: 'listen: { port: 9700 }\nstateDir: $' + '{NONE}',
    env: {},
    is: { listen: { host: '0.0.0.0', port: 9700 } },
  },
  {
    text: 'has an unknown key beside it',
    yaml: 'listen: { prot: 1, port: 9700, host: "::" }',
    env: {},
    is: { listen: { host: '::', port: 9700 } },
  },
  {
    text: 'has a port that is none',
    yaml: 'listen: { port: high, host: "::" }',
    env: {},
    is: { listen: { host: '::', port: 9652 } },
  },
  {
    text: 'has a host that is none',
    yaml: 'listen: { port: 9700, host: "" }',
    env: {},
    is: { listen: { host: '0.0.0.0', port: 9700 } },
  },
  { text: 'has another port for the probes', yaml: 'probes: { port: 9701 }', env: {}, is: { ...usual, probes: { port: 9701 } } },
  { text: 'has the same port for the probes', yaml: 'probes: { port: 9652 }', env: {}, is: usual },
  {
    text: 'is tickedAt by variables',
    yaml: 'listen: { port: 9700 }',
    env: { SNOWGAUGE_LISTEN_PORT: '9800', SNOWGAUGE_PROBES_PORT: '9801', SNOWGAUGE_LISTEN_HOST: '::' },
    is: { listen: { host: '::', port: 9800 }, probes: { port: 9801 } },
  },
  {
    text: 'is no YAML, beside variables',
    yaml: '{{{',
    env: { SNOWGAUGE_LISTEN_PORT: '9800' },
    is: { listen: { host: '0.0.0.0', port: 9800 } },
  },
  { text: 'is tickedAt by a service link', yaml: '', env: { SNOWGAUGE_LISTEN_PORT: 'tcp://10.0.0.1:9652' }, is: usual },
])('a text that $text', async ({ yaml, env, is }) => {
  expect(await listeningOf(yaml, env)).toEqual(is);
});
