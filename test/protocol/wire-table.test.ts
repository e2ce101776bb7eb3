// Some changes to the table of methods, and what then does not compile.

import { expect, test } from 'vitest';
import { someRows, wireSuite } from './wire-suite.ts';

wireSuite(someRows);

test('the short suite has four rows', () => {
  expect(someRows).toHaveLength(4);
});
