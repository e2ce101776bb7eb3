// The words of a condition: one line.

import { describe, type Failure } from '../client/outcome.ts';
import { printable } from '../text.ts';

export const failureText = (failure: Failure): string => printable(describe(failure), 600);
