// The image and the unit have the measured flags of Node.js.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const flagsIn = (path: string, place: RegExp): readonly string[] => {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  return (place.exec(text)?.[0].match(/--[a-z-]+(=\d+)?/g) ?? []).toSorted();
};

test.each([
  { where: 'the image', path: 'deploy/container/Dockerfile', place: /^ENTRYPOINT .*$/m },
  { where: 'the systemd unit', path: 'deploy/systemd/snowgauge.service', place: /--max-semi-space-size.*(?= \/usr)/ },
  { where: 'the bench', path: 'bench/footprint.ts', place: /name: "the image's flags",\s*flags: \[.*\]/ },
])('the flags of $where are those that docs/footprint.md explains', ({ path, place }) => {
  const explained = flagsIn('docs/footprint.md', /^ {4}node --.*$/m);
  expect(explained).toHaveLength(4);
  expect(flagsIn(path, place)).toEqual(explained);
});
