// JSON objects with a `length` that no number can be compared to, in place of any value of a response.

import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { container } from '../../src/protocol/container.ts';
import { networkNameAnswer, nodeIdAnswer, uptimeAnswer, versionAnswer } from '../../src/protocol/info.ts';

const unlike = JSON.parse('{"toString": 1, "valueOf": null, "length": {"toString": 1, "valueOf": null}}');

test.for(
  Object.entries({ container, networkNameAnswer, nodeIdAnswer, uptimeAnswer, versionAnswer }).flatMap(([answer, schema]) =>
    Object.keys(schema.def.shape).map((field) => ({ answer, field, schema })),
  ),
)('$answer with such an object as $field is not an internal error', ({ field, schema }) => {
  expect(() => z.safeParse(schema, { [field]: unlike })).not.toThrow();
});
