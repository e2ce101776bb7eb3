// CHANGELOG.md, in the format of Keep a Changelog: the section of one version, and what makes a section of what is unreleased.

/**
 * @param {string} changelog
 * @param {string} heading 0.1.0 or Unreleased
 * @returns {string | undefined} the text below the heading
 */
export const sectionOf = (changelog, heading) => {
  const sections = changelog.split(/^## /m).slice(1);
  const found = sections.find((section) => section.startsWith(`[${heading}]`));
  return found?.slice(found.indexOf('\n') + 1).trim();
};

/**
 * @param {string} changelog
 * @param {string} version
 * @returns {string | undefined} 2026-11-23
 */
export const dateOf = (changelog, version) =>
  changelog
    .split('\n')
    .map((line) => /^## \[(.+)\] - (\d{4}-\d{2}-\d{2})$/.exec(line))
    .find((found) => found?.[1] === version)?.[2];

/**
 * @param {string} changelog
 * @param {string} version
 * @param {string} date
 * @returns {string}
 */
export const released = (changelog, version, date) => {
  if (!sectionOf(changelog, 'Unreleased')) throw new Error('CHANGELOG.md has nothing under [Unreleased]');
  return changelog.replace(/^## \[Unreleased\]$/m, `## [Unreleased]\n\n## [${version}] - ${date}`);
};
