// CPU and memory of blackbox_exporter and of our /probe for one probe of each of a thousand stub nodes. For information only:
// blackbox_exporter makes one request and checks its status; ours requests liveness, readiness and health, and parses each check.
// npm run bench -- blackbox [--blackbox PATH] [--targets 1000] [--rounds 3]
// GOBIN=~/.cache/snowgauge/bin go install github.com/prometheus/blackbox_exporter@v0.27.0

import { accessSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fetchTimed, quantile, startRole, stopAll } from './support/fleet-process.ts';
import { median } from './support/measure.ts';
import { cpuMs, freePort, residentMiB, secondsToFirstAnswer, startNode, startProgram } from './support/processes.ts';
import { serveFleet } from './support/stub-fleet.ts';

const { values: given } = parseArgs({
  options: {
    blackbox: { type: 'string', default: join(homedir(), '.cache', 'snowgauge', 'bin', 'blackbox_exporter') },
    targets: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '3' },
    role: { type: 'string' },
    argument: { type: 'string', default: '' },
  },
});

/** Concurrent probes. */
const atOnce = 8;

interface Prober {
  readonly name: string;
  readonly pid: number;
  readonly probe: (node: string) => string;
}

const probeAll = async ({ name, probe }: Prober, nodes: readonly string[]): Promise<readonly number[]> => {
  const taken: number[] = [];
  let next = 0;
  const one = async (): Promise<void> => {
    for (let node = nodes[next++]; node !== undefined; node = nodes[next++]) {
      const { status, body, ms } = await fetchTimed(probe(node));
      if (status !== 200 || !/^probe_success 1$/m.test(body.toString())) throw new Error(`${name}: ${status} ${body}`);
      taken.push(ms);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return taken;
};

const measure = async (program: string, folder: string): Promise<void> => {
  const stub = await startRole('stub', '30');
  const nodes = Array.from({ length: Number(given.targets) }, (_, at) => `${stub.url}/n${at}`);
  const [blackboxPort, port] = [await freePort(), await freePort()];
  const [modules, file] = [join(folder, 'blackbox.yml'), join(folder, 'snowgauge.yaml')];
  writeFileSync(modules, 'modules: { http_2xx: { prober: http, timeout: 5s } }\n');
  const allow = `[{ cidr: 127.0.0.0/8, ports: [${new URL(stub.url).port}] }]`;
  writeFileSync(file, `listen: { host: 127.0.0.1, port: ${port} }\nprobe: { allow: ${allow} }\n`);
  const listen = `--web.listen-address=127.0.0.1:${blackboxPort}`;
  const theirs = startProgram(program, [`--config.file=${modules}`, listen, '--log.level=error']);
  const ours = startNode([join(process.cwd(), 'dist', 'snowgauge.js'), 'run', '--config', file]);
  try {
    await secondsToFirstAnswer(`http://127.0.0.1:${blackboxPort}/-/healthy`, theirs);
    await secondsToFirstAnswer(`http://127.0.0.1:${port}/livez`, ours);
    const of = (host: string, query: string) => (node: string) =>
      `http://127.0.0.1:${host}/probe?target=${encodeURIComponent(node)}${query}`;
    const probers: readonly Prober[] = [
      {
        name: 'blackbox_exporter',
        pid: theirs.pid,
        probe: (node) => of(`${blackboxPort}`, '&module=http_2xx')(`${node}/ext/health`),
      },
      { name: 'snowgauge', pid: ours.pid, probe: of(`${port}`, '') },
    ];
    const rows = probers.map(({ name }) => ({ name, cpu: [] as number[], p50: [] as number[] }));
    // The first round is a warm-up.
    for (let round = 0; round <= Number(given.rounds); round += 1)
      for (const [at, prober] of probers.entries()) {
        const before = cpuMs(prober.pid);
        const taken = await probeAll(prober, nodes);
        if (round === 0) continue;
        rows[at]?.cpu.push((cpuMs(prober.pid) - before) / nodes.length);
        rows[at]?.p50.push(quantile(taken, 0.5));
      }
    console.table(
      rows.map(({ name, cpu, p50 }, at) => ({
        name,
        'CPU a probe, ms': median(cpu).toFixed(2),
        'p50, ms': median(p50).toFixed(1),
        MiB: residentMiB(probers[at]?.pid ?? 0).toFixed(0),
      })),
    );
  } finally {
    await Promise.all([theirs.stop(), ours.stop(), stopAll(stub)]);
  }
};

const main = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-blackbox-'));
  try {
    accessSync(given.blackbox);
    await measure(given.blackbox, folder);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    console.log('NOT RUN: GOBIN=~/.cache/snowgauge/bin go install github.com/prometheus/blackbox_exporter@v0.27.0');
  } finally {
    rmSync(folder, { recursive: true });
  }
};

if (given.role === 'stub') serveFleet(Number(given.argument));
else {
  await main();
  // There is no target value.
  console.log('[]');
}
