// The other changes of the table of questions.

import { rows, someRows, wireSuite } from './wire-suite.ts';

wireSuite(rows.filter((row) => !someRows.includes(row)));
