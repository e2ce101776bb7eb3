// The schema of a list in a response of another snowgauge, or of any other server at its address.

import * as z from 'zod/mini';

/**
 * Stops at the first invalid row. zod passes the errors of a list on as arguments of a function, and a hundred thousand arguments are too
 * many.
 */
export const answeredRows = <S extends z.core.$ZodType>(row: S) =>
  z.pipe(
    z.custom<readonly unknown[]>(Array.isArray, 'must be an array'),
    z.transform((rows, { issues }): readonly z.output<S>[] => {
      const read: z.output<S>[] = [];
      for (const input of rows) {
        const one = z.safeParse(row, input);
        if (!one.success) {
          issues.push({ code: 'custom', message: 'has a wrong row', input });
          return z.NEVER;
        }
        read.push(one.data);
      }
      return read;
    }),
  );
