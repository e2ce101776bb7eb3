// Which runs of vitest `npm test` is made of. What is long has parts that want the machine to themselves.

/** @param {readonly string[]} names */
const longFiles = (names) => names.map((name) => `test/${name}.long.test.ts`);

/** Whatever judges time and memory of what is shipped: one after the other, with nothing beside, on the Node of the image. */
export const alone = longFiles(['endurance/endurance', 'hostile/clients', 'hostile/drips', 'hostile/nodes', 'hostile/probes']);
/** Both judge time. One waits while the other computes, so they run side by side, with nothing else. */
export const pair = longFiles(['e2e/drill', 'fuzz/fuzz']);
/** A dozen programs in Go: beside them whatever else runs had a tenth of the machine, and limits of seconds were reached. */
export const cluster = 'test/e2e/kubernetes/kubernetes.long.test.ts';

const suites = '--project=suites';
const long = '--project=long';
const oneByOne = '--no-file-parallelism';
const timed = [...pair, ...alone];
const asShipped = [long, oneByOne, ...alone];

/** @param {readonly string[]} files */
const without = (files) => files.map((file) => `--exclude=${file}`);

/**
 * @param {readonly string[]} args of ours; the projects are ours to choose where they do not
 * @param {boolean} all what is long too
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
