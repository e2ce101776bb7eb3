// What the steps of a release share. Each file beside this one is a step: it runs by itself (`node scripts/release/npm.mjs --dry-run`), in
// the workflow, and one after the other in `npm run release`. What leaves this machine goes through `publish`, and a dry run only says it.

import { execFile } from 'node:child_process';
import { accessSync, constants, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { root } from '../lib.mjs';
import { readNames } from '../names.mjs';

export const defaultOut = join(root, 'release');

/**
 * @typedef {object} Step
 * @property {import('../names.mjs').Names} names
 * @property {boolean} dryRun
 * @property {string | undefined} tag vX.Y.Z
 * @property {string} out the folder of the artifacts
 * @property {string | undefined} buildImage a mirror of the Dockerfile's build image
 * @property {string | undefined} baseImage a mirror of its runtime image
 * @property {readonly string[]} imageFlags flags of the image build, after `--`
 */

const usage = `[--dry-run] [--tag vX.Y.Z] [--out DIRECTORY] [--build-image NAME] [--base-image NAME] [-- FLAGS OF THE IMAGE'S BUILD]`;

/**
 * @param {readonly string[]} [args]
 * @returns {Step}
 */
export const readStep = (args = process.argv.slice(2)) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      'dry-run': { type: 'boolean', default: false },
      tag: { type: 'string' },
      out: { type: 'string', default: defaultOut },
      'build-image': { type: 'string' },
      'base-image': { type: 'string' },
    },
  });
  if (!values['dry-run'] && values.tag === undefined) throw new Error('--tag vX.Y.Z is needed, or --dry-run');
  const out = resolve(values.out);
  mkdirSync(out, { recursive: true });
  return {
    names: readNames(),
    dryRun: values['dry-run'],
    tag: values.tag,
    out,
    buildImage: values['build-image'],
    baseImage: values['base-image'],
    imageFlags: positionals,
  };
};

/**
 * Runs the step if its file is the main program. Errors are printed without a stack.
 * @param {string} url of the file
 * @param {(step: Step) => Promise<unknown>} work
 */
export const alone = async (url, work) => {
  const file = fileURLToPath(url);
  if (process.argv[1] === undefined || realpathSync(process.argv[1]) !== realpathSync(file)) return;
  if (process.argv.includes('--help')) {
    // The header comment of the file.
    const about = readFileSync(file, 'utf8').match(/^(?:\/\/ .*\n)+/)?.[0] ?? '';
    console.log(`node ${relative(root, file)} ${usage}\n\n${about.replaceAll(/^\/\/ /gm, '')}\nMore: docs/releasing.md`);
    return;
  }
  try {
    await work(readStep());
  } catch (error) {
    console.error(`release: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
};

/** @param {string} text */
export const say = (text) => console.error(`release: ${text}`);

/** Quoted for a shell. @param {readonly string[]} words */
const commandLine = (words) =>
  words.map((word) => (/^[\w@%+=:,./<>-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @returns {Promise<{ readonly stdout: string, readonly stderr: string }>}
 */
const execute = (command, args) =>
  new Promise((done, fail) => {
    execFile(command, args, { cwd: root, maxBuffer: 256 * 1024 * 1024, encoding: 'utf8' }, (error, stdout, stderr) => {
      if (error === null) done({ stdout, stderr });
      else fail(new Error(`${commandLine([command, ...args])}: ${stderr.trim() || error.message}`));
    });
  });

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @returns {Promise<string>} stdout
 */
export const capture = async (command, args) => (await execute(command, args)).stdout;

/** Like `capture`, including stderr. @param {string} command @param {readonly string[]} args */
export const captureAll = async (command, args) => Object.values(await execute(command, args)).join('');

/**
 * Runs a command whose effects others can see.
 * @param {Step} step
 * @param {string} command
 * @param {readonly string[]} args
 * @returns {Promise<string>} the output; empty in a dry run
 */
export const publish = async ({ dryRun }, command, args) => {
  console.log(`${dryRun ? 'would run: ' : ''}${commandLine([command, ...args])}`);
  if (dryRun) return '';
  const { stdout, stderr } = await execute(command, args);
  process.stderr.write(stdout + stderr);
  // helm prints what it pushed to stderr.
  return stdout + stderr;
};

/**
 * What a registry has under a name. Undefined only if it does not exist; any other error must not lead to a push.
 * @template T
 * @param {Promise<T>} asked
 * @returns {Promise<T | undefined>}
 */
export const ifPublished = async (asked) => {
  try {
    return await asked;
  } catch (error) {
    if (/: not found\b|\b(?:manifest|name) unknown\b/i.test(String(error))) return undefined;
    throw error;
  }
};

/** @param {string} tool */
export const isInstalled = (tool) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, tool), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/**
 * A release fails without one of its parts. A dry run skips those that cannot be made on this machine, and names them.
 * @param {Step} step
 * @param {string} part
 * @param {string} why
 */
export const without = ({ dryRun }, part, why) => {
  if (!dryRun) throw new Error(`no ${part}: ${why}`);
  say(`NOT MADE: ${part}: ${why}`);
};

/** A digest that is known only after the push. */
export const unknownDigest = 'sha256:<of the push>';
