// The Node.js flags of the image, from its Dockerfile.

import { readFileSync } from 'node:fs';

const dockerfile = readFileSync(new URL('../../deploy/container/Dockerfile', import.meta.url), 'utf8');

export const imageFlags: readonly string[] = /^ENTRYPOINT .*$/m.exec(dockerfile)?.[0].match(/--[a-z-]+(?:=\d+)?/g) ?? [];
