// The values `config` and `webConfig.config`: the schemas of snowgauge's own files, in words that make an error one line.

import * as z from 'zod/mini';
import { configJsonSchema } from '../../src/config/json-schema.ts';
import { webSchema } from '../../src/server/web/schema.ts';
import { dnsLabel, flag, foreign, matching, port, type Shape, text } from './shapes.ts';

const isShape = (value: unknown): value is Shape => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A volume is mounted there: of another one, the container's folder would not be it. */
const folder = matching('^/', 'An absolute path.');

/** What the chart itself must know, so without a `${NAME}`, which only snowgauge can read. */
const known: Readonly<Record<string, Shape>> = {
  port,
  enabled: flag,
  name: dnsLabel,
  stateDir: folder,
  podInfoDir: folder,
  serviceAccountDir: folder,
  // Its look is the templates' affair: they can say what is wrong with it in words.
  url: { ...text, description: 'An http or https URL.' },
};

/**
 * A `${NAME}` in place of a number, or of a text of a certain look: the keywords of the two do not meet, so that one schema says both,
 * and an error is told in one line rather than as alternatives that all fail.
 */
const merged = (alternatives: unknown): Shape | undefined => {
  const [narrow, variable] = Array.isArray(alternatives) ? alternatives : [];
  if (!isShape(narrow) || !isShape(variable) || variable.pattern === undefined || narrow.enum !== undefined) return undefined;
  if (narrow.type === 'string')
    return typeof narrow.pattern === 'string' ? { type: 'string', pattern: `${narrow.pattern}|${variable.pattern}` } : undefined;
  return { ...narrow, type: [narrow.type, 'string'], pattern: variable.pattern };
};

const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain);
  if (!isShape(value)) return value;
  const one = merged(value.anyOf);
  const kept = Object.entries(value).filter(([key]) => key !== 'default' && (key !== 'anyOf' || one === undefined));
  return { ...Object.fromEntries(kept.map(([key, child]) => [key, shapeAt(key, child)])), ...one };
};

/** In the words of the file where it has some. */
const shapeAt = (key: string, child: unknown): unknown => {
  const own = known[key];
  if (own === undefined) return plain(child);
  return isShape(child) && child.description !== undefined ? { ...own, description: child.description } : own;
};

const shapeOf = ({ $schema: _, ...schema }: Shape): Shape => {
  const shape = plain(schema);
  return isShape(shape) ? shape : foreign;
};

/** As `snowgauge config schema` prints it. */
export const configShape = (): Shape => shapeOf(configJsonSchema());

/** The file of `--web.config.file`, which has no variables. */
export const webConfigShape = (): Shape => shapeOf(z.toJSONSchema(webSchema, { target: 'draft-7', io: 'input' }));
