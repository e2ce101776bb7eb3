// The JSON Schema (draft-07) of a configuration file, for editors and the chart.

import * as z from 'zod/mini';
import { configSchema } from './config.ts';
import { helps } from './setting.ts';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A `${NAME}` somewhere in a text: what it becomes is only known when snowgauge starts. */
const variablePattern = '\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}';

/** Of the input: durations and sizes are texts, and a `${NAME}` may stand where a number or a string of a certain look does. */
export const configJsonSchema = (): JsonSchema =>
  z.toJSONSchema(configSchema, {
    target: 'draft-7',
    io: 'input',
    metadata: helps,
    override: ({ jsonSchema }) => {
      if (jsonSchema.usually !== undefined) jsonSchema.default = String(jsonSchema.usually);
      delete jsonSchema.usually;
      if (!isNarrow(jsonSchema)) return;
      const { description, default: preset, ...narrow } = jsonSchema;
      for (const key of Object.keys(narrow)) Reflect.deleteProperty(jsonSchema, key);
      jsonSchema.anyOf = [narrow, { type: 'string', pattern: variablePattern }];
    },
  });

/** Would refuse a `${NAME}`. */
const isNarrow = ({ type, pattern, maxLength, enum: values }: JsonSchema): boolean =>
  type === 'number' ||
  type === 'integer' ||
  type === 'boolean' ||
  pattern !== undefined ||
  maxLength !== undefined ||
  values !== undefined;
