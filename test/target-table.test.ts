// The clients that a reload closes.

import { expect, test } from 'vitest';
import { createClient } from '../src/client/client.ts';
import { targetFrom } from '../src/config/target.ts';
import { silentLog } from '../src/log.ts';
import { sources } from '../src/sources/sources.ts';
import { createTargetTable } from '../src/target-table.ts';

const url = 'http://127.0.0.1:9650';
const { options, client: clientOptions } = targetFrom({ name: 'a', url });

test.each([
  { poll: 'no poll is running', isPolled: false, closed: ['old'] },
  { poll: 'a poll uses the previous client', isPolled: true, closed: [] },
])('a reload that only replaces the client, while $poll, closes $closed', ({ isPolled, closed }) => {
  const ended: string[] = [];
  const client = (name: string) => ({
    ...createClient({ ...clientOptions, userAgent: 'test' }, () => 0),
    close: () => void ended.push(name),
  });
  const held = createTargetTable({
    ...{ table: sources, now: () => 0, log: silentLog, recall: undefined },
    forgetsRemoved: false,
  });
  const old = client('old');
  held.replace([{ options, client: old }]);
  const entry = held.entries.get('a');
  if (isPolled && entry !== undefined) entry.inUse = old;
  held.replace([{ options, client: client('new') }]);
  expect(ended).toEqual(closed);
});
