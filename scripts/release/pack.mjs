// What is packed before anything is published: first whether it may be.

import { packChart } from './chart.mjs';
import { checkVersions } from './check.mjs';
import { packNpm, refuseReleased } from './npm.mjs';
import { alone } from './step.mjs';

/** @param {import('./step.mjs').Step} step */
export const pack = async (step) => {
  await checkVersions(step);
  await refuseReleased(step);
  await packNpm(step);
  await packChart(step);
};

await alone(import.meta.url, pack);
