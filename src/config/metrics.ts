// Settings that select the families on /metrics.

import * as z from 'zod/mini';
import { type Path, valueAt } from '../yaml/path.ts';
import { distinct } from '../yaml/rules.ts';
import { nearest } from '../yaml/suggest.ts';
import { type Immutable, setting } from './setting.ts';

const pattern = z.string().check(
  z.maxLength(256),
  z.refine(
    (text) => /^[A-Za-z_:*][A-Za-z0-9_:*]*$/.test(text) && text.split('*').length <= 5,
    'is not the name of a metric family: write a name such as snowgauge_check_healthy, or snowgauge_index_* with at most four *',
  ),
);

const maxPatterns = 100;

const patterns = z.prefault(z.array(pattern).check(z.maxLength(maxPatterns), distinct()), []);

export const metrics = z.strictObject({
  include: setting(
    {
      description:
        'Metric families to export, by name; `*` matches any characters. A pattern must match at least one. Empty: all, including process metrics.',
    },
    patterns,
  ),
  exclude: setting(
    {
      description:
        'Metric families not to export, in the same syntax. Applied after include. Alerts that use an excluded family do not fire.',
    },
    patterns,
  ),
});

type Patterns = Immutable<z.output<typeof metrics>>;

/** Whether a family is exported, by its name. */
export const exported = ({ include, exclude }: Patterns): ((name: string) => boolean) => {
  const [included, excluded] = [matcher(include), matcher(exclude)];
  return (name) => (include.length === 0 || included(name)) && !excluded(name);
};

/** Errors for patterns that match no family. `config`: before parsing. Loads the tables of families only if there is a pattern. */
export const familyFaults = async (config: unknown) => {
  const found = ['include', 'exclude'].flatMap((list) => patternsAt(config, ['metrics', list]));
  if (found.length === 0) return [];
  const { familyNames } = await import('../metrics/names.ts');
  return found
    .filter(({ text }) => !familyNames.some(matcher([text])))
    .map(({ path, text }) => {
      const meant = nearest(text.replaceAll('*', ''), familyNames);
      return {
        path,
        message: `matches no metric family: ${meant === undefined ? 'docs/metrics.md lists them' : `did you mean ${meant}?`}`,
      };
    });
};

/** The valid patterns of a list. Invalid ones are errors of the schema. */
const patternsAt = (config: unknown, path: Path): readonly { readonly path: Path; readonly text: string }[] => {
  const list = valueAt(config, path);
  if (!Array.isArray(list)) return [];
  return list.slice(0, maxPatterns).flatMap((given: unknown, at) => {
    const parsed = z.safeParse(pattern, given);
    return parsed.success ? [{ path: [...path, at], text: parsed.data }] : [];
  });
};

const matcher = (given: readonly string[]): ((name: string) => boolean) => {
  const patterns = given.map((one) => new RegExp(`^${one.replaceAll('*', '.*')}$`));
  return (name) => patterns.some((one) => one.test(name));
};
