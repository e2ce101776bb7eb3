// The results of all targets: neither an error nor a long pause in one evaluation prevents the next one.

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

test('targets are judged again after a minute, however long the process was stopped while it judged them', async () => {
  let now = noon;
  const judge = createRestartJudge(() => now);
  const targets = new Map([['node', validatorTarget({ primary: validates() })]]);
  const first = judge(targets);
  now += 3600;
  expect(await first).toBeDefined();
  now += 59;
  expect(await judge(targets)).toBeUndefined();
  now += 1;
  expect(await judge(targets)).toBeDefined();
});
