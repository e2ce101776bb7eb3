// Which families are on /metrics.

import * as z from 'zod/mini';
import { distinct } from '../yaml/rules.ts';
import { type Immutable, setting } from './setting.ts';

const pattern = z.string().check(
  z.maxLength(256),
  z.refine(
    (text) => /^[A-Za-z_:*][A-Za-z0-9_:*]*$/.test(text) && text.split('*').length <= 5,
    'is not the name of a metric family: write a name such as snowgauge_check_healthy, or snowgauge_index_* with at most four *',
  ),
);

const patterns = z.prefault(z.array(pattern).check(z.maxLength(100), distinct()), []);

export const metrics = z.strictObject({
  include: setting(
    { description: 'Metric families to export, by name; `*` matches any characters. Empty: all, including process metrics.' },
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

const matcher = (given: readonly string[]): ((name: string) => boolean) => {
  const patterns = given.map((one) => new RegExp(`^${one.replaceAll('*', '.*')}$`));
  return (name) => patterns.some((one) => one.test(name));
};
