// The rows of a list in an answer of another snowgauge, or of what stands in its place.

import * as z from 'zod/mini';

/** Read as far as the first wrong one: zod passes the faults of a list on as arguments, of which there may not be a hundred thousand. */
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
