// Relative paths in a file resolve from its folder; those in variables and in piped configuration from the working directory.

import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';

const access = {
  tls: { caFile: 'ca.crt', certFile: '../tls.crt', keyFile: '/run/tls.key' },
  authorization: { credentialsFile: './token' },
};
const config = {
  stateDir: 'state',
  maintenance: { tokenFile: './maintenance' },
  kubernetes: { injectionRevisionFile: 'revision', podInfoDir: 'pod', serviceAccountDir: 'account' },
  probe: { modules: [{ name: 'a', ...access }] },
  targets: [{ name: 'a', url: 'https://a', ...access }],
  discovery: {
    target: access,
    file: [{ files: ['nodes/*.json', '/run/nodes.yaml'] }],
    http: [{ url: 'https://a', ...access }],
  },
};

const loaded = async (file: string, env: Readonly<Record<string, string>> = {}, isPiped = false) => {
  const text = JSON.stringify(config);
  const found = await loadConfig({ file, env, readFile: async () => ({ kind: 'ok', text, isPiped }), fileExists: () => true });
  if (found.kind === 'invalid') throw new Error(JSON.stringify(found.errors));
  return found.value;
};

test('relative paths in a file resolve from the folder of the file', async () => {
  const moved = {
    tls: { caFile: '/etc/gauge/ca.crt', certFile: '/etc/tls.crt', keyFile: '/run/tls.key' },
    authorization: { credentialsFile: '/etc/gauge/token' },
  };
  expect(await loaded('/etc/gauge/snowgauge.yaml')).toMatchObject({
    stateDir: '/etc/gauge/state',
    maintenance: { tokenFile: '/etc/gauge/maintenance' },
    kubernetes: {
      injectionRevisionFile: '/etc/gauge/revision',
      podInfoDir: '/etc/gauge/pod',
      serviceAccountDir: '/etc/gauge/account',
    },
    probe: { modules: [{ name: 'default' }, { name: 'a', target: { client: moved } }] },
    targets: [{ client: moved }],
    discovery: { target: moved, file: [{ files: ['/etc/gauge/nodes/*.json', '/run/nodes.yaml'] }], http: [moved] },
  });
});

test('relative paths in variables resolve from the working directory', async () => {
  const env = { SNOWGAUGE_STATE_DIR: 'here', SNOWGAUGE_MAINTENANCE_TOKEN_FILE: './here', SNOWGAUGE_POD_INFO_DIR: 'here' };
  expect(await loaded('/etc/gauge/snowgauge.yaml', env)).toMatchObject({
    stateDir: 'here',
    maintenance: { tokenFile: './here' },
    kubernetes: { podInfoDir: 'here', injectionRevisionFile: '/etc/gauge/revision' },
  });
});

test.each([
  { of: 'a file in the working directory', file: 'snowgauge.yaml', isPiped: false },
  { of: 'a piped configuration', file: '/dev/stdin', isPiped: true },
  { of: 'a redirected configuration', file: '/dev/stdin', isPiped: false },
])('relative paths of $of resolve from the working directory', async ({ file, isPiped }) => {
  const { stateDir, discovery } = await loaded(file, {}, isPiped);
  expect([stateDir, discovery.file]).toMatchObject(['state', [{ files: ['nodes/*.json', '/run/nodes.yaml'] }]]);
});
