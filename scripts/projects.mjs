// Which of vitest's projects run: what is called `long` outside are three, because a part of it wants the machine to itself, and a
// part waits so much that other Nodes have their turn beside it.

/**
 * @param {readonly string[]} args of ours; the projects are ours to choose where they do not
 * @param {boolean} all what is long too
 * @returns {readonly string[]}
 */
export const withProjects = (args, all) => {
  if (!args.some((arg) => arg.startsWith('--project'))) return ['--project=suites', ...(all ? ['--project=long*'] : []), ...args];
  return args.map((arg, at) => {
    const isProject = arg.startsWith('--project=') || args[at - 1] === '--project';
    return isProject ? arg.replace(/(^|=)long$/, '$1long*') : arg;
  });
};

/**
 * @param {readonly string[]} args of ours
 * @param {boolean} all what is long too
 * @param {boolean} others whether other Nodes come after it
 * @returns {{ readonly first: readonly string[], readonly besideOthers?: readonly string[] }}
 */
export const runsOf = (args, all, others) =>
  all && others && args.length === 0
    ? { first: ['--project=suites', '--project=long-beside', '--project=long'], besideOthers: ['--project=long-cluster'] }
    : { first: withProjects(args, all) };
