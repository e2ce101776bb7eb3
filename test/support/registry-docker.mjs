// A stand-in for `docker` in releases: pushes to a real registry and inspects what is there, without building. As in real builds,
// SBOM and digest differ each time.

import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const args = process.argv.slice(2);
/** @param {string} name */
const option = (name) => args[args.indexOf(name) + 1] ?? '';
const buildArgs = Object.fromEntries(
  args.flatMap((arg, at) =>
    args[at - 1] === '--build-arg' ? [[arg.slice(0, arg.indexOf('=')), arg.slice(arg.indexOf('=') + 1)]] : [],
  ),
);
const folderOfOutput = () => option('--output').replace('type=local,dest=', '');
/** @param {string} text */
const digestOf = (text) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const partsList = () => JSON.stringify({ bomFormat: 'CycloneDX', serialNumber: randomUUID() });

/** host/team/name:tag, or with @digest. @param {string} reference */
const parsed = (reference) => {
  const [, host, name, tag] = /^([^/]+)\/([^@]+?)(?::([^:/@]+)|@(.+))$/.exec(reference) ?? [];
  return { base: `http://${host}/v2/${name}`, tag: tag ?? reference.split('@')[1] };
};

/** @param {string} url @param {string} body */
const put = async (url, body, type = 'application/octet-stream') => {
  const response = await fetch(url, { method: 'PUT', body, headers: { 'content-type': type } });
  if (response.status !== 201) throw new Error(`${url}: ${response.status}`);
};

/** @param {string} reference @param {Readonly<Record<string, string | undefined>>} labels */
const push = async (reference, labels) => {
  const { base, tag } = parsed(reference);
  const layer = partsList();
  const config = JSON.stringify({ config: { Labels: labels } });
  for (const blob of [layer, config]) await put(`${base}/blobs/uploads/one?digest=${digestOf(blob)}`, blob);
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const manifest = JSON.stringify({ mediaType, config: { digest: digestOf(config) }, layers: [{ digest: digestOf(layer) }] });
  await put(`${base}/manifests/${tag}`, manifest, mediaType);
  return digestOf(manifest);
};

/** @param {string} reference */
const pull = async (reference) => {
  const { base, tag } = parsed(reference);
  const response = await fetch(`${base}/manifests/${tag}`);
  if (response.status === 404) throw new Error(`${reference}: not found`);
  const text = await response.text();
  /** @param {{ readonly digest: string }} of */
  const blob = async ({ digest }) => (await fetch(`${base}/blobs/${digest}`)).json();
  const { config, layers } = JSON.parse(text);
  return { digest: digestOf(text), image: await blob(config), parts: await blob(layers[0]) };
};

const run = async () => {
  if (args[0] === 'version' || args[1] === 'create' || args[1] === 'rm') return;
  if (args[1] === 'imagetools') {
    const { digest, image } = await pull(args[3] ?? '');
    console.log(JSON.stringify(option('--format') === '{{json .Manifest}}' ? { digest } : { 'linux/amd64': image }));
    return;
  }
  if (args.includes('--push')) {
    const { BASE_IMAGE, BUILD_IMAGE, REVISION } = buildArgs;
    const digest = await push(option('--tag'), {
      'org.opencontainers.image.revision': REVISION,
      'org.opencontainers.image.base.name': BASE_IMAGE,
      'io.snowgauge.image.build.name': BUILD_IMAGE,
    });
    writeFileSync(option('--metadata-file'), JSON.stringify({ 'containerimage.digest': digest }));
    return;
  }
  const isCopy = !args.includes('--target');
  const from = isCopy ? /^COPY --from=(\S+)/m.exec(readFileSync(join(args.at(-1) ?? '', 'Dockerfile'), 'utf8'))?.[1] : undefined;
  const parts = from === undefined ? partsList() : JSON.stringify((await pull(from)).parts);
  writeFileSync(join(folderOfOutput(), 'sbom.cdx.json'), parts);
};

await run().catch((error) => {
  console.error(`ERROR: ${error.message}`);
  process.exitCode = 1;
});
