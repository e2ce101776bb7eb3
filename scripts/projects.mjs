// Which runs of vitest `npm test` is made of. What is long has a part that wants the machine to itself, and a part beside which other
// Nodes have their turn.

/** Whatever judges time or processor time: one after the other, with nothing beside. */
export const alone = ['e2e/drill', 'fuzz/fuzz', 'hostile/clients', 'hostile/drips', 'hostile/nodes', 'hostile/probes'].map(
  (name) => `test/${name}.long.test.ts`,
);
/** Waits more than it computes, and asks for states instead of times. */
export const cluster = 'test/e2e/kubernetes/kubernetes.long.test.ts';

const suites = '--project=suites';
const long = '--project=long';
const oneByOne = '--no-file-parallelism';
const ofThemselves = [long, oneByOne, ...alone];

/** @param {readonly string[]} files */
const without = (files) => files.map((file) => `--exclude=${file}`);

/**
 * @param {readonly string[]} args of ours; the projects are ours to choose where they do not
 * @param {boolean} all what is long too
 * @param {boolean} others whether other Nodes come after it
 * @returns {{ readonly first: readonly (readonly string[])[], readonly besideOthers?: readonly string[] }} the arguments of each run of
 *   vitest: of `first` one after the other, then the last, beside the other Nodes
 */
export const runsOf = (args, all, others) => {
  const asked = args.join(' ').replace('--project long', long);
  if (asked === long) return { first: [[long, ...without(alone)], ofThemselves] };
  if (asked !== '' || !all) {
    const projects = asked.includes('--project') ? [] : [suites, ...(all ? [long] : [])];
    const isLong = projects.includes(long) || asked.includes(long);
    return { first: [[...projects, ...(isLong ? [oneByOne] : []), ...args]] };
  }
  const first = [[suites, long, ...without(others ? [...alone, cluster] : alone)], ofThemselves];
  return others ? { first, besideOthers: [long, cluster] } : { first };
};
