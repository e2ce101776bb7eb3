// Runs docs/systemd.md command by command on a container whose first process is a real systemd: the unit with its sandbox, its memory
// limit, its user.

import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodeBinary } from '../../scripts/node-versions.mjs';
import { commandsUnder, document } from '../support/documented.ts';
import { codeBlocks } from '../support/markdown.ts';
import { cleanClone, packed } from '../support/package.ts';
import { type Machine, machineObstacle, startMachine } from '../support/systemd/machine.ts';
import { describeUnless, describeWith } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { hash, tlsFile } from '../support/web-config.ts';

const page = document('docs/systemd.md');
const [pack = '', ...install] = commandsUnder(page, 'Install');
const curl = 'curl --silent --show-error --fail --retry 30 --retry-connrefused --retry-delay 1';
/** The Node.js versions that the suites run on too. */
const otherNodes = (process.env.SNOWGAUGE_TEST_NODES ?? '').split(/\s+/).filter(Boolean);
const state = '/var/lib/private/snowgauge';

describeUnless(machineObstacle(), 'docs/systemd.md on a real systemd', () => {
  let machine: Machine;
  let clone = '';
  /** A property of the service from systemd. */
  const property = async (name: string) => (await machine.run(`systemctl show --property ${name} --value snowgauge`)).trim();
  const journal = () => machine.run('journalctl --unit snowgauge --output cat --no-pager');
  const inGiven = (commands: string) => machine.run(`cd /tmp/given\n${commands}`);
  const dropIn = (name: string, text: string) => writeFileSync(join(machine.given, name), text);
  /** Our files on the machine. */
  const ours = async () =>
    (await machine.run("cd /tmp/layer; find . -name '*snowgauge*' -not -path '*/node_modules/snowgauge/*'"))
      .split('\n')
      .filter(Boolean)
      .toSorted();

  beforeAll(async () => {
    clone = cleanClone();
    const file = await packed(clone, pack);
    machine = await startMachine();
    copyFileSync(file, join(machine.given, basename(file)));
  });
  afterAll(async () => {
    await machine?.stop();
    rmSync(clone, { recursive: true, force: true });
  });

  test('Install: the service starts and is ready', async () => {
    expect(await ours()).toEqual([]);
    expect(install).toHaveLength(2);
    expect(await inGiven(install.join('\n'))).toContain('readyz check passed');
    expect(await property('ActiveState')).toBe('active');
    expect(await journal()).toContain('"msg":"serving"');
  });

  test('systemd-analyze verify accepts the unit', async () => {
    expect(await machine.run('systemd-analyze verify /etc/systemd/system/snowgauge.service 2>&1')).toBe('');
  });

  test('the service watches a node on the same machine', async () => {
    await machine.run('systemd-run --unit avalanchego snowgauge node --health-check-frequency 1s');
    await until('the node is healthy', async () =>
      (await machine.run(`${curl} http://127.0.0.1:9652/metrics`)).includes('snowgauge_up{target="validator-1"} 1\n'),
    );
  });

  test('the service keeps running when the node stops', async () => {
    await machine.run('systemctl stop avalanchego');
    await until('the node is down', async () => (await journal()).includes('poll failed: connection refused'));
    expect(await property('ActiveState')).toBe('active');
    expect(await property('NRestarts')).toBe('0');
  });

  test('the service has its own user, no capabilities, a system call filter, and no writable executable memory', async () => {
    const pid = await property('MainPID');
    const status = await machine.run(`cat /proc/${pid}/status`);
    expect(status).toMatch(/^CapBnd:\s0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\s1$/m);
    expect(status).toMatch(/^Seccomp:\s2$/m);
    expect(Number(/^Uid:\s(\d+)/m.exec(status)?.[1])).toBeGreaterThan(1000);
    expect((await machine.run(`cat /proc/${pid}/maps`)).split('\n').filter((line) => / .wx/.test(line))).toEqual([]);
    expect(await property('MemoryMax')).toBe(`${160 * 2 ** 20}`);
    expect((await machine.run(`cat /proc/${pid}/oom_score_adj`)).trim()).toBe('500');
  });

  test('the service writes only into its state folder', async () => {
    const uid = await property('UID');
    const owned = (await machine.run(`cd /tmp/layer; find . -uid ${uid}; find /run /dev /tmp -xdev -uid ${uid}`))
      .split('\n')
      .filter(Boolean);
    expect(owned).toContain(`.${state}/lock`);
    expect(owned.filter((path) => path !== `.${state}` && !path.startsWith(`.${state}/`))).toEqual([]);
    const mounts = await machine.run(`cat /proc/${await property('MainPID')}/mountinfo`);
    expect(mounts).toMatch(/^\S+ \S+ \S+ \/ \/ ro,/m);
  });

  test('systemctl reload reloads the configuration', async () => {
    const before = (await journal()).split('configuration reloaded').length;
    await machine.run('systemctl reload snowgauge');
    await until('reloaded', async () => (await journal()).split('configuration reloaded').length > before);
  });

  test('systemd restarts the service after SIGKILL, but not after a configuration error', async () => {
    // Not systemctl kill, which fails with an input/output error if the process is about to end.
    const kill = async () => `kill -KILL ${await property('MainPID')}`;
    const first = await property('MainPID');
    await machine.run(await kill());
    // NRestarts is increased before the start, when there is no process yet.
    const isOther = (pid: string): boolean => pid !== first && pid !== '0';
    await until('started again', async () => (await property('NRestarts')) === '1' && isOther(await property('MainPID')));
    await machine.run(`cp /etc/snowgauge/snowgauge.yaml /tmp/good.yaml; echo 'nonsense: 1' > /etc/snowgauge/snowgauge.yaml
      ${await kill()}`);
    await until('given up', async () => (await property('ActiveState')) === 'failed');
    expect(await property('ExecMainStatus')).toBe('2');
    expect(await journal()).toContain('nonsense');
    await machine.run('cp /tmp/good.yaml /etc/snowgauge/snowgauge.yaml; systemctl start snowgauge');
  });

  describeWith(['promtool'], 'Prometheus', (promtool = '') => {
    test('promtool accepts the documented configuration, and finds the rules and targets at their paths', async () => {
      copyFileSync(promtool, join(machine.given, 'promtool'));
      await inGiven('install -m 755 promtool /usr/local/bin/promtool; mkdir -p /etc/prometheus');
      const [commands = ''] = commandsUnder(page, 'Prometheus');
      const said = await machine.run(`${commands}\npromtool check config /etc/prometheus/prometheus.yml`);
      expect(said.match(/SUCCESS: 1 rule files found/g)).toHaveLength(2);
      expect(said).toContain('/etc/prometheus/prometheus.yml is valid prometheus config file syntax');
      await machine.run('rm /etc/prometheus/snowgauge.*');
    });
  });

  test('TLS, passwords and tokens: serves over TLS with the password only, from files that only root can read', async () => {
    for (const name of ['server.crt', 'server.key', 'ca.crt']) copyFileSync(tlsFile(name), join(machine.given, name));
    dropIn(
      'web.yml',
      `tls_server_config: { cert_file: tls.crt, key_file: tls.key }\nbasic_auth_users: { prometheus: "${hash}" }\n`,
    );
    await inGiven(`umask 077
      cp web.yml /etc/snowgauge/web.yml; cp server.crt /etc/snowgauge/tls.crt; cp server.key /etc/snowgauge/tls.key
      echo a-token-for-the-node > /etc/snowgauge/node-token`);
    await machine.run(
      `sed -i 's#^    tagSets: auto.*#&\\n    authorization: { credentialsFile: /run/credentials/snowgauge.service/node-token }#' /etc/snowgauge/snowgauge.yaml`,
    );
    const [commands = ''] = commandsUnder(page, 'TLS, passwords and tokens');
    await machine.run(commands);
    // Other tests verify the certificate.
    const metrics = await machine.run(`${curl} --insecure --user prometheus:s3cret https://127.0.0.1:9652/metrics`);
    expect(metrics).toContain('snowgauge_config_last_reload_successful 1');
    const status = "curl --silent --insecure --output /dev/null --write-out '%{http_code}' https://127.0.0.1:9652/metrics";
    expect(await machine.run(status)).toBe('401');
    await machine.run(
      'rm -r /etc/systemd/system/snowgauge.service.d; cp /tmp/good.yaml /etc/snowgauge/snowgauge.yaml; systemctl daemon-reload',
    );
  });

  test('More than a few nodes: the service starts with the documented memory limit', async () => {
    const [text = ''] = codeBlocks(page, 'ini');
    dropIn('memory.conf', text);
    await inGiven(
      'install -D -m 644 memory.conf /etc/systemd/system/snowgauge.service.d/memory.conf; systemctl daemon-reload; systemctl restart snowgauge',
    );
    expect(await machine.run(`${curl} http://127.0.0.1:9652/readyz`)).toContain('ok');
    expect(await property('MemoryMax')).toBe(`${256 * 2 ** 20}`);
    expect(await machine.run('systemd-analyze verify snowgauge.service 2>&1')).toBe('');
  });

  test('Upgrade: starts a new process with the same history, and keeps the drop-ins', async () => {
    const old = await property('MainPID');
    const history = await machine.run(`cat ${state}/events/*`);
    expect(history).toContain('validator-1');
    const [commands = ''] = commandsUnder(page, 'Upgrade');
    await inGiven(commands);
    expect(await machine.run(`${curl} http://127.0.0.1:9652/readyz`)).toContain('ok');
    expect(await property('MainPID')).not.toBe(old);
    expect(await property('MemoryMax')).toBe(`${256 * 2 ** 20}`);
    expect(await machine.run(`cat ${state}/events/*`)).toContain(history.split('\n')[0]);
  });

  test.each(otherNodes)('the service starts on Node %s too, without writable executable memory', async (version) => {
    copyFileSync(await nodeBinary(version), join(machine.given, 'node'));
    dropIn('node.conf', '[Service]\nExecStartPre=node --version\n');
    // The first folder in which a unit looks for a program.
    await inGiven(`install -m 755 node /usr/local/bin/node
      rm -f /etc/systemd/system/snowgauge.service.d/memory.conf
      install -m 644 node.conf /etc/systemd/system/snowgauge.service.d/
      systemctl daemon-reload; systemctl restart snowgauge`);
    expect(await machine.run(`${curl} http://127.0.0.1:9652/readyz`)).toContain('ok');
    expect(await journal()).toMatch(new RegExp(`^v${version}\\.`, 'm'));
    await machine.run('rm /usr/local/bin/node');
  });

  test('systemctl stop ends the service with SIGTERM and exit code 0', async () => {
    await machine.run('systemctl stop snowgauge');
    // Neither a signal nor a timeout.
    expect(await property('Result')).toBe('success');
    expect([await property('ExecMainCode'), await property('ExecMainStatus')]).toEqual(['1', '0']);
    await machine.run('systemctl start snowgauge');
  });

  test('Removal: only the configuration is left', async () => {
    const [commands = ''] = commandsUnder(page, 'Removal');
    await machine.run(commands);
    expect(await ours()).toEqual(['./etc/snowgauge', './etc/snowgauge/snowgauge.yaml']);
  });
});
