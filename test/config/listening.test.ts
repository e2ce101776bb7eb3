// The listen address that --stay uses while the configuration is invalid.

import { expect, test } from 'vitest';
import { listeningOf } from '../../src/config/listening.ts';

const usual = { listen: { host: '0.0.0.0', port: 9652 } };

test.each([
  { text: 'is empty', yaml: '', env: {}, is: usual },
  { text: 'is not YAML', yaml: 'listen: {port: 9700', env: {}, is: usual },
  { text: 'is not a mapping', yaml: '[1, 2]', env: {}, is: usual },
  {
    text: 'is invalid outside of listen',
    yaml: 'listen: { port: 9700 }\nx: y',
    env: {},
    is: { listen: { host: '0.0.0.0', port: 9700 } },
  },
  {
    text: 'has an unset variable',
    yaml: 'listen: { port: 9700 }\nstateDir: $' + '{NONE}',
    env: {},
    is: { listen: { host: '0.0.0.0', port: 9700 } },
  },
  {
    text: 'has an unknown key in listen',
    yaml: 'listen: { prot: 1, port: 9700, host: "::" }',
    env: {},
    is: { listen: { host: '::', port: 9700 } },
  },
  {
    text: 'has an invalid port',
    yaml: 'listen: { port: high, host: "::" }',
    env: {},
    is: { listen: { host: '::', port: 9652 } },
  },
  {
    text: 'has an invalid host',
    yaml: 'listen: { port: 9700, host: "" }',
    env: {},
    is: { listen: { host: '0.0.0.0', port: 9700 } },
  },
  { text: 'has a port for probes', yaml: 'probes: { port: 9701 }', env: {}, is: { ...usual, probes: { port: 9701 } } },
  { text: 'has the listen port for probes', yaml: 'probes: { port: 9652 }', env: {}, is: usual },
  {
    text: 'is overridden by variables',
    yaml: 'listen: { port: 9700 }',
    env: { SNOWGAUGE_LISTEN_PORT: '9800', SNOWGAUGE_PROBES_PORT: '9801', SNOWGAUGE_LISTEN_HOST: '::' },
    is: { listen: { host: '::', port: 9800 }, probes: { port: 9801 } },
  },
  {
    text: 'is not YAML, with variables',
    yaml: '{{{',
    env: { SNOWGAUGE_LISTEN_PORT: '9800' },
    is: { listen: { host: '0.0.0.0', port: 9800 } },
  },
  { text: 'is overridden by a service link', yaml: '', env: { SNOWGAUGE_LISTEN_PORT: 'tcp://10.0.0.1:9652' }, is: usual },
])('an invalid configuration that $text keeps the usable listen settings', async ({ yaml, env, is }) => {
  expect(await listeningOf(yaml, env)).toEqual(is);
});
