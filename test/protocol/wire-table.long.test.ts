// The other changes to the table of methods.

import { rows, someRows, wireSuite } from './wire-suite.ts';

wireSuite(rows.filter((row) => !someRows.includes(row)));
