// Shared by the scripts: paths, installation and build of prerequisites, and child processes. Built-ins only, because it runs in
// a clone without node_modules.

import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const bundle = join(root, 'dist', 'snowgauge.js');

/** The inputs of the bundle; it is rebuilt if one of them is newer. */
const sources = [
  'src',
  'scripts/build.mjs',
  'scripts/browser.mjs',
  'scripts/node-http.cjs',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
];

/**
 * Starts a program with our stdio, forwards our signals, and returns its exit code (128 + n after signal n, as in a shell).
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, onStdout?: (text: string) => void }} [options]
 * @returns {Promise<number>}
 */
export const run = (command, args, options = {}) =>
  new Promise((resolve, reject) => {
    const stdout = options.onStdout ? 'pipe' : 'inherit';
    const child = spawn(command, args, { cwd: root, stdio: ['inherit', stdout, 'inherit'], env: options.env ?? process.env });
    if (options.onStdout) child.stdout?.setEncoding('utf8').on('data', options.onStdout);
    const stopPassing = passSignals(child);
    child.on('error', (error) => {
      stopPassing();
      reject(error);
    });
    child.on('close', (code, signal) => {
      stopPassing();
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });

/**
 * Ctrl-C already reaches the whole process group, so we only wait for the child. Signals sent to us alone are forwarded.
 * @param {import('node:child_process').ChildProcess} child
 * @returns {() => void} stops forwarding
 */
export const passSignals = (child) => {
  const onInterrupt = () => {
    if (!process.stdin.isTTY) child.kill('SIGINT');
  };
  const onTerminate = () => child.kill('SIGTERM');
  const onHangup = () => child.kill('SIGHUP');
  process.on('SIGINT', onInterrupt).on('SIGTERM', onTerminate).on('SIGHUP', onHangup);
  return () => {
    process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate).off('SIGHUP', onHangup);
  };
};

/**
 * @param {readonly string[]} args
 * @param {Parameters<typeof run>[2]} [options]
 */
export const node = (args, options) => run(process.execPath, args, options);

/**
 * The npm that started us, or the one on the PATH.
 * @param {readonly string[]} args
 */
export const npm = (args) => {
  const ours = process.env.npm_execpath;
  return ours?.endsWith('.js') ? node([ours, ...args]) : run('npm', args);
};

/**
 * Installs the packages of the lock file if they are missing. Safe to run concurrently: the second process waits and finds them.
 */
export const ensureInstalled = async () => {
  if (installed()) return;
  await withLock('install', async () => {
    if (installed()) return;
    console.error('snowgauge: installing dependencies (npm ci) ...');
    const code = await npm(['ci', '--include=dev', '--no-audit', '--no-fund']);
    if (code === 0 && installed()) return;
    console.error(`snowgauge: npm ci failed (exit code ${code}), so nothing was started. It needs the package registry that npm is
set up for, or a filled npm cache: check the network and \`npm config get registry\`, then run \`npm ci --include=dev\`.`);
    process.exit(1);
  });
};

/** Builds dist/snowgauge.js if it is missing or older than its inputs. */
export const ensureBuilt = async () => {
  if (built()) return;
  await withLock('build', async () => {
    if (built()) return;
    const code = await node([join(root, 'scripts', 'build.mjs')]);
    if (code !== 0) process.exit(code);
  });
};

/**
 * Compares with npm's copy of the installed lock file. Modification times are unreliable: a checkout touches files, and npm
 * writes in any order. Packages for other platforms are optional and may be missing.
 */
const installed = () => {
  const wanted = readPackages(join(root, 'package-lock.json'));
  const present = readPackages(join(root, 'node_modules', '.package-lock.json'));
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    if (path === '') return true;
    const found = present[path];
    return found ? found.version === version : optional === true;
  });
};

/**
 * @param {string} file
 * @returns {Record<string, { version: string, optional?: boolean }>}
 */
const readPackages = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : {});

const built = () => {
  if (!existsSync(bundle)) return false;
  const at = statSync(bundle).mtimeMs;
  return sources.every((source) => newest(join(root, source)) <= at);
};

/**
 * @param {string} path a file or a folder
 * @returns {number} the last change of it or anything in it (ms); a deleted or renamed file changes the time of its folder
 */
const newest = (path) => {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), stat.mtimeMs);
};
