// The JSON Schema (draft-07) of a configuration file, for editors and the chart.

import * as z from 'zod/mini';
import { configSchema } from './config.ts';
import { helps } from './setting.ts';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Matches a text with a `${NAME}`, whose value is known only when snowgauge starts. */
const variablePattern = '\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}';

/** Describes the input: durations and sizes are texts. A `${NAME}` is allowed in place of a number, a boolean or a restricted text. */
export const configJsonSchema = (): JsonSchema =>
  z.toJSONSchema(configSchema, {
    target: 'draft-7',
    io: 'input',
    metadata: helps,
    override: ({ jsonSchema }) => {
      if (jsonSchema.defaultText !== undefined) jsonSchema.default = String(jsonSchema.defaultText);
      delete jsonSchema.defaultText;
      if (!isNarrow(jsonSchema)) return;
      const { description, default: preset, ...narrow } = jsonSchema;
      for (const key of Object.keys(narrow)) Reflect.deleteProperty(jsonSchema, key);
      jsonSchema.anyOf = [narrow, { type: 'string', pattern: variablePattern }];
    },
  });

/** Whether the schema would reject a `${NAME}`. */
const isNarrow = ({ type, pattern, maxLength, enum: values }: JsonSchema): boolean =>
  type === 'number' ||
  type === 'integer' ||
  type === 'boolean' ||
  pattern !== undefined ||
  maxLength !== undefined ||
  values !== undefined;
