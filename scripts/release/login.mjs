// Signs in to the registry of the image, for docker, helm and cosign alike: REGISTRY_USER, and REGISTRY_TOKEN, which is never an argument.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readNames } from '../names.mjs';

const { REGISTRY_USER: user, REGISTRY_TOKEN: token } = process.env;
if (!user || !token) {
  console.error('release: REGISTRY_USER and REGISTRY_TOKEN are needed');
  process.exit(1);
}
const child = spawn('docker', ['login', readNames().registry, '--username', user, '--password-stdin'], {
  stdio: ['pipe', 'inherit', 'inherit'],
});
child.stdin.end(token);
const [code] = await once(child, 'close');
process.exitCode = code ?? 1;
