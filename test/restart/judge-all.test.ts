// The results of all targets: an error in one evaluation is reported, and does not break the next one.

import { expect, test } from 'vitest';
import { createRestartJudge } from '../../src/restart/judge-all.ts';
import { noon } from '../support/snapshot.ts';
import { validates, validatorTarget } from '../support/validators.ts';

test('an error in one target rejects, and the next call evaluates all targets again', async () => {
  let now = noon;
  const judge = createRestartJudge(() => now);
  const target = validatorTarget({ primary: validates() });
  const broken = {
    ...target,
    state: {
      ...target.state,
      get sources(): never {
        throw new Error('broken');
      },
    },
  };
  await expect(judge(new Map([['node', broken]]))).rejects.toThrow('broken');
  now += 1;
  expect([...((await judge(new Map([['node', target]]))) ?? [])]).toMatchObject([['node', { result: 'unknown' }]]);
});
