// Values that are null, such as a section whose keys are all comments.

import { expect, test } from 'vitest';
import { needed } from '../../scripts/chart/needed.ts';
import { helmTemplate, refusalOf } from '../support/chart.ts';
import { describeWith } from '../support/tools.ts';

/** `a.b` as `{ a: { b: null } }`. */
const nullAt = (path: string): object =>
  path.split('.').reduceRight<object | null>((value, key) => ({ [key]: value }), null) ?? {};

const top = needed.filter((path) => !path.includes('.'));
const nested = needed.filter((path) => path.includes('.'));

describeWith(['helm'], 'the chart', (helm = '') => {
  test('rejects every section that is null, by its name', async () => {
    const stderr = await refusalOf(
      helm,
      top.map((path) => ({ values: nullAt(path) })),
    );
    for (const path of top) expect(stderr).toMatch(new RegExp(`at '': missing properties .*'${path}'`));
  });

  test.each(nested)('rejects %s if it is null', async (path) => {
    const [, section, key] = /^(.*)\.(.*)$/.exec(path) ?? [];
    const stderr = await refusalOf(helm, [{ values: nullAt(path) }]);
    expect(stderr).toContain(`at '/${section?.replaceAll('.', '/')}': missing property '${key}'`);
  });

  test.each(['shards', 'resources', 'affinity', 'securityContext', 'probes.startup', 'webConfig.config'])(
    'accepts %s if it is null',
    async (path) => {
      expect(await helmTemplate(helm, { values: { mode: 'demo', ...nullAt(path) } })).toMatchObject({ code: 0 });
    },
  );
});
