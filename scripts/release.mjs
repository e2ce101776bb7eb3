// npm run release: every step of a release, in the order of .github/workflows/release.yaml. With --dry-run nothing leaves this machine:
// all artifacts are made, and what would be pushed and signed is printed.

import { readdirSync, rmSync } from 'node:fs';
import { audit } from './release/audit.mjs';
import { publishChart } from './release/chart.mjs';
import { releaseOnGithub } from './release/github.mjs';
import { releaseImage } from './release/image.mjs';
import { publishNpm } from './release/npm.mjs';
import { pack } from './release/pack.mjs';
import { alone, defaultOut, readStep } from './release/step.mjs';

await alone(import.meta.url, async ({ out }) => {
  // Otherwise artifacts of an earlier run would be released too.
  if (out === defaultOut) rmSync(out, { recursive: true });
  else if (readdirSync(out).length > 0) throw new Error(`${out} is not empty: name a folder that is`);
  const step = readStep();
  await pack(step);
  await audit(step);
  await releaseImage(step);
  await publishChart(step);
  await publishNpm(step);
  await releaseOnGithub(step);
});
