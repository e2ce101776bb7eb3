// The vitest runs of `npm test`. Some long suites need the machine for themselves.

/** @param {readonly string[]} names */
const longFiles = (names) => names.map((name) => `test/${name}.long.test.ts`);

/**
 * Suites that judge time and memory of the shipped program: one after the other, with nothing in parallel, on the image's
 * Node.js.
 */
export const alone = longFiles(['endurance/endurance', 'hostile/clients', 'hostile/drips', 'hostile/nodes', 'hostile/probes']);
/** Both depend on timing, but one waits while the other computes, so they run in parallel, with nothing else. */
export const pair = longFiles(['e2e/drill', 'fuzz/fuzz']);
/** A dozen Go programs, which left a tenth of the machine for parallel suites, so that those reached their time limits. */
export const cluster = 'test/e2e/kubernetes/kubernetes.long.test.ts';

const suites = '--project=suites';
const long = '--project=long';
const oneByOne = '--no-file-parallelism';
const timed = [...pair, ...alone];
const asShipped = [long, oneByOne, ...alone];

/** @param {readonly string[]} files */
const without = (files) => files.map((file) => `--exclude=${file}`);

/**
 * @param {readonly string[]} args those of `npm test`; without --project the projects are chosen here
 * @param {boolean} all also the long suites
 * @typedef {readonly string[]} Run arguments of vitest
 * @returns {{ readonly first: readonly Run[], readonly asShipped?: Run }} of `first` one after the other, then what judges the Node of
 *   the image
 */
export const runsOf = (args, all) => {
  const asked = args.join(' ').replace('--project long', long);
  if (asked !== long && (asked !== '' || !all)) {
    const projects = asked.includes('--project') ? [] : [suites, ...(all ? [long] : [])];
    const isLong = projects.includes(long) || asked.includes(long);
    return { first: [[...projects, ...(isLong ? [oneByOne] : []), ...args]] };
  }
  const projects = asked === long ? [long] : [suites, long];
  return {
    first: [
      [...projects, ...without([...timed, cluster])],
      [long, ...pair],
      [long, cluster],
    ],
    asShipped,
  };
};
