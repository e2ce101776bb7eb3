// Some changes of the table of questions, and what does not compile then.

import { expect, test } from 'vitest';
import { someRows, wireSuite } from './wire-suite.ts';

wireSuite(someRows);

test('there are some of each kind', () => {
  expect(someRows).toHaveLength(4);
});
