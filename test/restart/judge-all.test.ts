// The results of all targets: a fault in one look is told, and the next look is not lost with it.

import { expect, test } from 'vitest';
import { createRestartJudge } from '../../src/restart/judge-all.ts';
import { noon } from '../support/snapshot.ts';
import { validates, validatorTarget } from '../support/validators.ts';

test('what cannot be judged is an error, and everything is judged again', async () => {
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
