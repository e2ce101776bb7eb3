// A real release from a copy of this tree, up to the steps that would publish it. release.test.ts has the rejected cases.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { readNames } from '../../scripts/names.mjs';
import { sectionOf } from '../../scripts/release/changelog.mjs';
import { buildFlags, containerEnv, imageBases, imageObstacle } from '../support/image.ts';
import { startOciRegistry } from '../support/oci-registry.ts';
import { runTool } from '../support/run-tool.ts';
import { describeUnless, toolCache, toolPath } from '../support/tools.ts';
import { copyTree } from '../support/tree.ts';
import { until } from '../support/until.ts';

const timeout = 600_000;
const version = '7.8.9';
const { image, charts, name, repository } = readNames();
const env = { ...containerEnv, BUILDAH_ISOLATION: 'chroot', PATH: `${process.env.PATH}${delimiter}${join(toolCache, 'bin')}` };

let tree = '';
let out = '';
let said = '';

const script = (path: string, ...args: readonly string[]): Promise<string> =>
  runTool(process.execPath, [join(tree, 'scripts', path), ...args], { cwd: tree, env, timeoutMs: timeout });
const git = (...args: readonly string[]) =>
  runTool('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args], { cwd: tree });
const inOut = (file: string): string => join(out, file);
const unpacked = (file: string, inside: string): Promise<string> => runTool('tar', ['-xzOf', inOut(file), inside]);
const inArchive = (file: string, inside: string): Promise<string> => runTool('tar', ['-xOf', inOut(file), inside]);
const blobOf = (digest: string): string => `blobs/${digest.replace(':', '/')}`;

const obstacle = imageObstacle() ?? (toolPath('helm') === undefined ? 'not installed: helm' : undefined);

describeUnless(obstacle, 'a dry run of a release', () => {
  beforeAll(async () => {
    tree = copyTree();
    out = join(tree, 'release');
    await script('release/prepare.mjs', version);
    await git('init', '--quiet');
    await git('add', '--all');
    await git('commit', '--quiet', '--message', `Release ${version}`);
    const { flags, remove } = await buildFlags();
    try {
      const bases = ['--build-image', imageBases.BUILD_IMAGE, '--base-image', imageBases.BASE_IMAGE];
      said = await script('release.mjs', '--dry-run', '--tag', `v${version}`, ...bases, '--', ...flags);
    } finally {
      remove();
    }
  }, timeout);
  afterAll(() => rmSync(tree, { recursive: true }));

  test('makes every artifact', () => {
    expect(readdirSync(out).sort()).toEqual([
      ...['SHA256SUMS', 'chart.json', 'image.json', 'notes.md', `${name}-${version}.cdx.json`],
      ...[`${name}-chart-${version}.tgz`, `${name}-image-${version}.tar`, `${name}-npm-${version}.tgz`],
    ]);
  });

  test('prints the commands that would push and sign', () => {
    const { digest, bases } = JSON.parse(readFileSync(inOut('image.json'), 'utf8'));
    const commands = said.trim().split('\n');
    expect(commands.every((line) => line.startsWith('would run: '))).toBe(true);
    const [build, ...others] = commands.map((line) => line.slice('would run: '.length));
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    for (const { arg, pinned } of bases) {
      expect(pinned).toMatch(/@sha256:[0-9a-f]{64}$/);
      expect(build).toContain(`--build-arg ${arg}=${pinned}`);
    }
    expect(build).toMatch(/^docker buildx build .*--platform linux\/amd64,linux\/arm64 .*--sbom=true --provenance=mode=max/);
    expect(build?.endsWith(`--tag ${image}:${version} --push .`)).toBe(true);
    expect(others.map((line) => line.split(out).join('OUT'))).toEqual([
      `cosign sign --yes --recursive ${image}@${digest}`,
      `cosign attest --yes --type cyclonedx --predicate OUT/${name}-${version}.cdx.json ${image}@${digest}`,
      `helm push OUT/${name}-chart-${version}.tgz oci://${charts}`,
      `cosign sign --yes '${charts}/${name}@sha256:<of the push>'`,
      `npm publish OUT/${name}-npm-${version}.tgz --access public --provenance`,
      'cosign sign-blob --yes --bundle OUT/SHA256SUMS.sigstore.json OUT/SHA256SUMS',
      `gh release create v${version} --verify-tag --repo ${repository} --title v${version} --notes-file OUT/notes.md ` +
        `OUT/chart.json OUT/image.json OUT/${name}-${version}.cdx.json OUT/${name}-chart-${version}.tgz ` +
        `OUT/${name}-image-${version}.tar OUT/${name}-npm-${version}.tgz OUT/SHA256SUMS OUT/SHA256SUMS.sigstore.json`,
    ]);
  });

  test('has the same version in chart, package, SBOM, changelog and image', { timeout }, async () => {
    const chart = parse(await unpacked(`${name}-chart-${version}.tgz`, `${name}/Chart.yaml`));
    expect(chart).toMatchObject({ version, appVersion: version });
    expect(JSON.parse(await unpacked(`${name}-npm-${version}.tgz`, 'package/package.json'))).toMatchObject({ version });
    const parts = JSON.parse(readFileSync(inOut(`${name}-${version}.cdx.json`), 'utf8'));
    expect(parts).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name, version } } });
    expect(readFileSync(join(tree, 'CHANGELOG.md'), 'utf8')).toMatch(
      new RegExp(`^## \\[${version}\\] - \\d{4}-\\d\\d-\\d\\d$`, 'm'),
    );
    // Read from the archive, because all clones of this commit on the machine share, and may remove, the image itself.
    const image = `${name}-image-${version}.tar`;
    const index = JSON.parse(await inArchive(image, 'index.json'));
    const manifest = JSON.parse(await inArchive(image, blobOf(index.manifests[0].digest)));
    const labels = JSON.parse(await inArchive(image, blobOf(manifest.config.digest))).config.Labels;
    expect(labels).toMatchObject({
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.source': repository,
      'org.opencontainers.image.revision': (await git('rev-parse', 'HEAD')).trim(),
      'org.opencontainers.image.base.name': expect.stringMatching(/@sha256:[0-9a-f]{64}$/),
    });
  });

  test('includes the licence in the chart and in the package', async () => {
    const licence = readFileSync(join(tree, 'LICENSE'), 'utf8');
    expect(await unpacked(`${name}-chart-${version}.tgz`, `${name}/LICENSE`)).toBe(licence);
    expect(await unpacked(`${name}-npm-${version}.tgz`, 'package/LICENSE')).toBe(licence);
    expect(await unpacked(`${name}-npm-${version}.tgz`, 'package/dist/THIRD-PARTY-LICENSES.txt')).toContain(
      'The LevelDB Authors',
    );
  });

  test('writes checksums that match, and fail for a changed artifact', async () => {
    const check = () => runTool('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: out });
    const file = inOut(`${name}-chart-${version}.tgz`);
    const before = readFileSync(file);
    expect(await check()).toBe('');
    writeFileSync(file, Buffer.concat([before, Buffer.of(0)]));
    await expect(check()).rejects.toThrow(`${name}-chart-${version}.tgz: FAILED`);
    writeFileSync(file, before);
  });

  test('uses the changelog section of this version as the release notes', () => {
    const notes = readFileSync(inOut('notes.md'), 'utf8');
    const own = sectionOf(readFileSync('CHANGELOG.md', 'utf8'), 'Unreleased') ?? '';
    expect(own.length).toBeGreaterThan(0);
    expect(notes.slice(0, notes.indexOf('\n\n## Artifacts'))).toBe(own);
    expect(notes).toContain(`| runs on | \`${imageBases.BASE_IMAGE}@sha256:`);
    expect(sectionOf(readFileSync(join(tree, 'CHANGELOG.md'), 'utf8'), 'Unreleased')).toBe('');
  });

  test('builds a package that installs offline into an empty folder and runs', { timeout }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'snowgauge-installed-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = inOut(`${name}-npm-${version}.tgz`);
    expect(JSON.parse(await unpacked(`${name}-npm-${version}.tgz`, 'package/package.json'))).not.toHaveProperty('dependencies');
    // Without a registry or a cache.
    const alone = ['--offline', '--cache', join(folder, 'cache'), '--no-audit', '--no-fund'];
    await runTool('npm', ['install', ...alone, '--prefix', folder, file], { cwd: folder, timeoutMs: timeout });

    const program = join(folder, 'node_modules/.bin', name);
    mkdirSync(join(folder, 'data'));
    expect((await runTool(program, ['--version'], { cwd: folder })).trim()).toBe(version);
    const node = spawn(program, ['node', '--http-port', '0', '--index-enabled', '--data-dir', 'data'], { cwd: folder });
    const ended = new Promise<number | null>((done) => node.once('close', done));
    onTestFinished(() => {
      node.kill('SIGKILL');
    });
    let log = '';
    for (const stream of [node.stdout, node.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (log += text));
    const port = await until('it says where it listens', async () => /"port":(\d+)/.exec(log)?.[1]);
    const response = await fetch(`http://127.0.0.1:${port}/ext/health/liveness`);
    expect(await response.json()).toMatchObject({ healthy: true });
    node.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  /** A local registry for the tree, and fake programs that release into it. */
  const intoRegistry = async () => {
    const registry = await startOciRegistry();
    const manifest = join(tree, 'package.json');
    const before = readFileSync(manifest, 'utf8');
    const folder = mkdtempSync(join(tmpdir(), 'snowgauge-programs-'));
    // Like another machine, with the files that a job downloads.
    const own = join(folder, 'out');
    mkdirSync(own);
    const archive = join(own, `${name}-chart-${version}.tgz`);
    copyFileSync(inOut(`${name}-chart-${version}.tgz`), archive);
    onTestFinished(() => {
      registry.close();
      writeFileSync(manifest, before);
      rmSync(folder, { recursive: true });
    });
    writeFileSync(manifest, before.replace(image, `${registry.host}/team/${name}`));
    // The registry has no TLS, and signing is not possible here.
    const [broken, signed] = [join(folder, 'broken'), join(folder, 'signed')];
    writeFileSync(join(folder, 'helm'), `#!/bin/sh\nexec '${toolPath('helm')}' "$@" --plain-http\n`, { mode: 0o755 });
    const cosign = `#!/bin/sh\nif [ -e '${broken}' ]; then echo no identity token >&2; exit 1; fi\necho "$@" >>'${signed}'\n`;
    writeFileSync(join(folder, 'cosign'), cosign, { mode: 0o755 });
    const docker = `#!/bin/sh\nexec '${process.execPath}' '${resolve('test/support/registry-docker.mjs')}' "$@"\n`;
    writeFileSync(join(folder, 'docker'), docker, { mode: 0o755 });
    const path = { ...env, PATH: `${folder}${delimiter}${env.PATH}` };
    return {
      registry,
      own,
      archive,
      pushed: (part: string): string => `${registry.host}/team/${part}`,
      signed: (): string => (existsSync(signed) ? readFileSync(signed, 'utf8') : ''),
      breakSigning: (is: boolean): void => (is ? writeFileSync(broken, '') : rmSync(broken)),
      release: (step: string, ...args: readonly string[]): Promise<string> =>
        runTool(process.execPath, [join(tree, 'scripts/release', step), '--tag', `v${version}`, '--out', own, ...args], {
          cwd: tree,
          env: path,
        }),
    };
  };

  test('pushes the chart and signs it by the registry’s digest', async () => {
    const { registry, own, pushed, signed, release } = await intoRegistry();
    await release('chart.mjs');
    const digest = registry.manifests.get(`team/charts/${name}:${version}`);
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    const chart = pushed(`charts/${name}`);
    expect(signed()).toBe(`sign --yes ${chart}@${digest}\n`);
    expect(JSON.parse(readFileSync(join(own, 'chart.json'), 'utf8'))).toEqual({ name: chart, digest });
  });

  test('after a failed signature, signs the published chart and does not push again', { timeout }, async () => {
    const { registry, own, archive, pushed, signed, breakSigning, release } = await intoRegistry();
    breakSigning(true);
    await expect(release('chart.mjs')).rejects.toThrow('no identity token');
    const digest = registry.manifests.get(`team/charts/${name}:${version}`);
    const first = readFileSync(archive);
    const unpack = async (to: string): Promise<string> => {
      mkdirSync(join(own, to));
      await runTool('tar', ['-xzf', archive, '-C', join(own, to)]);
      return join(own, to, name);
    };
    // A new archive of the same files differs.
    const folder = await unpack('again');
    await runTool('touch', ['--date=2020-01-01', join(folder, 'Chart.yaml')]);
    await runTool('tar', ['-czf', archive, '-C', join(own, 'again'), name]);
    expect(readFileSync(archive).equals(first)).toBe(false);
    breakSigning(false);
    await release('chart.mjs');
    expect(registry.pushes).toEqual([`team/charts/${name}:${version}`]);
    expect(signed()).toBe(`sign --yes ${pushed(`charts/${name}`)}@${digest}\n`);
    // The release page gets the archive of the registry.
    expect(readFileSync(archive).equals(first)).toBe(true);

    writeFileSync(join(folder, 'LICENSE'), 'another');
    await runTool('tar', ['-czf', archive, '-C', join(own, 'again'), name]);
    await expect(release('chart.mjs')).rejects.toThrow('is published with other files, and versions are not replaced');
    expect(registry.pushes).toHaveLength(1);
  });

  test('after a failed signature, signs the published image and does not push again', { timeout }, async () => {
    const { registry, own, pushed, signed, breakSigning, release } = await intoRegistry();
    const [built, runs] = ['a', 'b'].map((digit) => `registry.example/${digit}:1@sha256:${digit.repeat(64)}`);
    const bases = ['--build-image', built ?? '', '--base-image', runs ?? ''];
    breakSigning(true);
    await expect(release('image.mjs', ...bases)).rejects.toThrow('no identity token');
    const digest = registry.manifests.get(`team/${name}:${version}`);
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    // Like on another machine, where the tag of a base image may have moved.
    const parts = join(own, `${name}-${version}.cdx.json`);
    rmSync(parts);
    breakSigning(false);
    await release('image.mjs');
    expect(registry.pushes).toEqual([`team/${name}:${version}`]);
    const signedImage = `${pushed(name)}@${digest}`;
    expect(signed()).toBe(
      `sign --yes --recursive ${signedImage}\nattest --yes --type cyclonedx --predicate ${parts} ${signedImage}\n`,
    );
    expect([...registry.blobs.values()].map(String)).toContain(readFileSync(parts, 'utf8'));
    expect(JSON.parse(readFileSync(join(own, 'image.json'), 'utf8'))).toEqual({
      name: `${pushed(name)}:${version}`,
      digest,
      bases: [
        { arg: 'BUILD_IMAGE', name: 'registry.example/a:1', pinned: built },
        { arg: 'BASE_IMAGE', name: 'registry.example/b:1', pinned: runs },
      ],
    });

    const released = (await git('rev-parse', 'HEAD')).trim();
    onTestFinished(() => git('reset', '--soft', released).then(() => undefined));
    await git('commit', '--quiet', '--allow-empty', '--message', 'Another');
    await expect(release('image.mjs')).rejects.toThrow(`is published, made of ${released} and not of`);
    expect(registry.pushes).toHaveLength(1);
  });

  test('pushes nothing if the registry is unreachable', async () => {
    const { registry, release } = await intoRegistry();
    registry.close();
    for (const step of ['chart.mjs', 'image.mjs']) await expect(release(step)).rejects.toThrow(/refused|fetch failed/);
  });

  test.each([
    { what: 'missing', answer: 'echo npm error code E404 >&2; exit 1', publishes: true, packs: true },
    { what: 'published with the same content', answer: 'echo OURS', publishes: false, packs: false },
    {
      what: 'published with other content',
      answer: 'echo sha512-other',
      publishes: false,
      packs: false,
      says: `npm has another ${version}`,
    },
    {
      what: 'unknown, because the registry is unreachable',
      answer: 'echo npm error code EAI_AGAIN >&2; exit 1',
      publishes: false,
      packs: false,
      says: 'EAI_AGAIN',
    },
  ])(
    'publishes to npm only a version that is missing there: the version is $what',
    async ({ answer, publishes, packs, says }) => {
      const folder = mkdtempSync(join(tmpdir(), 'snowgauge-programs-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const packed = readFileSync(inOut(`${name}-npm-${version}.tgz`));
      const ours = `sha512-${createHash('sha512').update(packed).digest('base64')}`;
      const calls = join(folder, 'calls');
      const npm = `#!/bin/sh\nif [ "$1" = view ]; then ${answer.replace('OURS', ours)}; else echo "$1" >>'${calls}'; fi\n`;
      writeFileSync(join(folder, 'npm'), npm, { mode: 0o755 });
      const run = (step: string) =>
        runTool(process.execPath, [join(tree, 'scripts/release', step), '--tag', `v${version}`], {
          cwd: tree,
          env: { ...env, PATH: `${folder}${delimiter}${env.PATH}` },
        });
      const publishing = run('npm.mjs');
      if (says === undefined) await publishing;
      else await expect(publishing).rejects.toThrow(says);
      expect(existsSync(calls)).toBe(publishes);
      // Repeating the whole release would move the tag of the image.
      rmSync(calls, { force: true });
      const packing = String(await run('pack.mjs').catch((failure: unknown) => failure));
      expect(packing.includes('is at npm already')).toBe(!packs && says !== 'EAI_AGAIN');
      expect(existsSync(calls)).toBe(packs);
    },
  );
});
