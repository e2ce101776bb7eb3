// Who begins in which turn of the event loop.

import { expect, test } from 'vitest';
import { nextTurn } from '../../src/pause.ts';
import { createTurns } from '../../src/poller/turns.ts';

test('one begins in a turn, and each queue has its turn after the others', async () => {
  const oneATurn = createTurns();
  const begun: string[] = [];
  const begins = (name: string) => (): void => void begun.push(name);
  for (const name of ['new-1', 'new-2', 'new-3', 'new-4']) oneATurn(begins(name), { queue: 'new' });
  oneATurn(begins('discovered-1'), { queue: 'discovered' });
  oneATurn(begins('configured-1'), { queue: 'configured' });
  oneATurn(begins('configured-2'), { queue: 'configured' });
  oneATurn(begins('configured-0'), { queue: 'configured', isNext: true });
  expect(begun).toEqual(['new-1']);
  await nextTurn();
  expect(begun).toEqual(['new-1', 'new-2']);
  while (begun.length < 8) await nextTurn();
  expect(begun.slice(2)).toEqual(['discovered-1', 'configured-0', 'new-3', 'configured-1', 'new-4', 'configured-2']);
});
