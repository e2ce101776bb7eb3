// Where the project, its image and its chart are, and which version they have. All of it stands once, in package.json: `repository`,
// `image` and `version`. `npm run docs` carries it into every file that names one of them, and with --check says which names another.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('..', import.meta.url));

/**
 * @typedef {object} Names
 * @property {string} name of the package, the last part of all others
 * @property {string} version
 * @property {string} repository https://host/owner/name
 * @property {string} image registry/owner/name, without a tag
 * @property {string} registry
 * @property {string} imagePath the image without its registry
 * @property {string} charts where charts are pushed to, without oci:// and the chart's name
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

/** What is written by hand and may name one of them. CHANGELOG.md is what was. */
const places = ['README.md', 'CONTRIBUTING.md', 'docs', 'deploy', 'charts', '.github'];
/** Where none of them is written at all: what is asked for there comes from here. */
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

/** The forms that a name takes; each is written as a whole, and the longer ones come first. @param {Names} names */
const forms = (names) => [
  names.repository.replace('https://github.com/', 'https://raw.githubusercontent.com/'),
  names.repository,
  names.charts,
  names.image,
  // Of Chart.yaml and values.yaml, and what helm-docs makes of them.
  `url: ${names.repository.slice(0, names.repository.lastIndexOf('/'))}`,
  `registry: ${names.registry}`,
  `repository: ${names.imagePath}`,
  `\`"${names.registry}"\``,
  `\`"${names.imagePath}"\``,
];

/** A version of ours is what stands behind one of these. @param {Names} names */
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
/** Behind 1.2.3-rc.1 the name of a file may go on: that is no part of the version. */
const aVersion = '\\d+\\.\\d+\\.\\d+(?:-[0-9A-Za-z]+(?:\\.(?!(?:tgz|tar|cdx)\\b)[0-9A-Za-z]+)*)?';

/**
 * @param {string} root
 * @returns {(file: string, text: string) => string} a file's text with the names of package.json
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
    // A line that says of nothing what it is the version of.
    return file === `charts/${names.name}/Chart.yaml` ? current.replace(/^version: .*$/m, `version: ${names.version}`) : current;
  };
};

/**
 * The names that the files have: the chart's description of itself has both.
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

/** Hosts that nobody has (RFC 2606), and those of this machine. */
const nobodys = /^(?:[\w.-]*\.)?(?:example|test|invalid|localhost|local|svc|internal|example\.(?:com|org|net))$/;

/**
 * Names as ours are, that are not ours: `registry.example/somebody/snowgauge`.
 * @param {string} root
 * @returns {readonly string[]} FILE:LINE: what is wrong
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
