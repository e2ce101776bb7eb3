// The location and version of the project, its image and its chart, which are defined only in package.json (`repository`,
// `image`, `version`). `npm run docs` writes them to every file that contains them; with --check it reports files with other
// values.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('..', import.meta.url));

/**
 * @typedef {object} Names
 * @property {string} name of the package, which is also the last part of the other names
 * @property {string} version
 * @property {string} repository https://host/owner/name
 * @property {string} image registry/owner/name, without a tag
 * @property {string} registry
 * @property {string} imagePath the image without its registry
 * @property {string} charts where charts are pushed, without oci:// and the name of the chart
 */

/**
 * @param {{ name: string, version: string, repository: string, image: string }} given
 * @returns {Names}
 */
const complete = ({ name, version, repository, image }) => {
  const slash = image.indexOf('/');
  const charts = `${image.slice(0, image.lastIndexOf('/'))}/charts`;
  return { name, version, repository, image, registry: image.slice(0, slash), imagePath: image.slice(slash + 1), charts };
};

/**
 * @param {string} [root]
 * @returns {Names}
 */
export const readNames = (root = here) => {
  const { name, version, repository, image } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return complete({ name, version, repository: repository.url.replace(/^git\+|\.git$/g, ''), image });
};

/** @param {Names} names the module of src, which cannot read package.json at run time */
export const namesModule = ({
  repository,
  version,
}) => `// Where the project is, and its version. Generated out of package.json by \`npm run docs\`: do not edit.

export const repository = '${repository}';
export const release = '${version}';
`;

/** Files written by hand that may contain the names. CHANGELOG.md is history. */
const places = ['README.md', 'CONTRIBUTING.md', 'docs', 'deploy', 'charts', '.github'];
/** Folders that must not contain them: they read them from here. */
const users = ['src', 'scripts', 'test', 'dashboards', 'bench', '.ci'];
const unread = /^test\/fixtures\/|^test\/fuzz\/corpus\/|\.(?:png|ico|gz|tgz|pem)$/;

/**
 * @param {string} root
 * @returns {readonly string[]} files, from the root
 */
export const filesWithNames = (root) => filesIn(root, places);

/**
 * @param {string} root
 * @param {readonly string[]} paths
 * @returns {readonly string[]}
 */
const filesIn = (root, paths) =>
  paths
    .filter((path) => existsSync(join(root, path)))
    .flatMap((path) =>
      statSync(join(root, path)).isDirectory()
        ? filesIn(
            root,
            readdirSync(join(root, path)).map((name) => `${path}/${name}`),
          )
        : [path],
    )
    .filter((file) => !unread.test(file));

/** @param {string} text */
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

/** The forms of the names, the longer ones first so that each is replaced as a whole. @param {Names} names */
const forms = (names) => [
  names.repository.replace('https://github.com/', 'https://raw.githubusercontent.com/'),
  names.repository,
  names.charts,
  names.image,
  // In Chart.yaml and values.yaml, and in the output of helm-docs.
  `url: ${names.repository.slice(0, names.repository.lastIndexOf('/'))}`,
  `registry: ${names.registry}`,
  `repository: ${names.imagePath}`,
  `\`"${names.registry}"\``,
  `\`"${names.imagePath}"\``,
];

/** The prefixes of our version. @param {Names} names */
const versioned = ({ name, image }) => [
  `[?&]ref=v`,
  `\\/(?:blob|tree|download)\\/v`,
  `refs\\/tags\\/v`,
  `${escaped(image)}(?::|, newTag: |, tag: |@v)`,
  `charts\\/${name}:`,
  `charts\\/${name} --version `,
  `(?<![\\w/.-])${name}-(?:chart|image|npm)-`,
  `(?<![\\w/.-])${name}(?::|-|@| )(?=\\d+\\.\\d+\\.\\d)`,
  `app\\.kubernetes\\.io\\/version: `,
  `--build-arg VERSION=`,
  `^appVersion: `,
  `define "${name}\\.version" -\\}\\}\\n`,
];
/** A file extension after 1.2.3-rc.1 is not part of the version. */
const aVersion = '\\d+\\.\\d+\\.\\d+(?:-[0-9A-Za-z]+(?:\\.(?!(?:tgz|tar|cdx)\\b)[0-9A-Za-z]+)*)?';

/**
 * @param {string} root
 * @returns {(file: string, text: string) => string} the text of the file with the names of package.json
 */
export const renaming = (root) => {
  const names = readNames(root);
  const old = forms(writtenNames(root, names));
  const made = new Map(forms(names).map((form, at) => [old[at] ?? form, form]));
  const anyName = new RegExp(`(?:${old.map(escaped).join('|')})(?![\\w-])`, 'g');
  const anyVersion = new RegExp(`(${versioned(names).join('|')})${aVersion}`, 'gm');
  return (file, text) => {
    const named = text.replace(anyName, (form) => made.get(form) ?? form);
    const current = named.replace(anyVersion, (_, before) => `${before}${names.version}`);
    // The line `version:` of Chart.yaml has no prefix.
    return file === `charts/${names.name}/Chart.yaml` ? current.replace(/^version: .*$/m, `version: ${names.version}`) : current;
  };
};

/**
 * The names that the files currently contain, from the chart's metadata, which has all of them.
 * @param {string} root
 * @param {Names} names
 * @returns {Names}
 */
const writtenNames = (root, names) => {
  const chart = readFileSync(join(root, 'charts', names.name, 'Chart.yaml'), 'utf8');
  const repository = /^home: (\S+)$/m.exec(chart)?.[1] ?? names.repository;
  const image = /^ +image: (\S+):[^:\s]+$/m.exec(chart)?.[1] ?? names.image;
  return complete({ ...names, repository, image });
};

/** Reserved hosts (RFC 2606) and local ones. */
const nobodys = /^(?:[\w.-]*\.)?(?:example|test|invalid|localhost|local|svc|internal|example\.(?:com|org|net))$/;

/**
 * Names with the form of ours that differ from them, such as `registry.example/somebody/snowgauge`.
 * @param {string} root
 * @returns {readonly string[]} FILE:LINE: error
 */
export const strangers = (root) => {
  const names = readNames(root);
  const { name } = names;
  const ours = [names.repository.replace(/^https:\/\//, ''), names.image, `${names.charts}/${name}`];
  const known = new Set([...ours, ...ours.map((one) => one.replace(/^github\.com/, 'raw.githubusercontent.com'))]);
  const alike = new RegExp(
    `(?<![\\w.-]|[^/]\\/)((?:[a-z0-9-]+\\.)+[a-z]{2,})(?::\\d+)?(?:\\/[\\w.-]+)*?\\/[\\w.-]+\\/${name}(?![\\w.-]*\\w)`,
    'gi',
  );
  return filesIn(root, [...places, ...users]).flatMap((file) => {
    const written = users.some((folder) => file.startsWith(`${folder}/`)) && file !== 'src/names.ts';
    return readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, at) =>
        Array.from(line.matchAll(alike), ([found, host = '']) => ({ found, host }))
          .filter(({ host }) => !nobodys.test(host))
          .filter(({ found }) => written || !known.has(found))
          .map(({ found }) =>
            written && known.has(found)
              ? `${file}:${at + 1}: ${found} is written out: take it from scripts/names.mjs or src/names.ts`
              : `${file}:${at + 1}: ${found} is neither the repository nor the image of package.json`,
          ),
      );
  });
};
