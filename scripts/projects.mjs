// Which of vitest's projects run: what is called `long` outside are two, because a part of it wants the machine to itself.

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
