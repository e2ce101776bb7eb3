// The values `config` and `webConfig.config`: the schemas of snowgauge's own files, reduced so that each error is one line.

import * as z from 'zod/mini';
import { configJsonSchema } from '../../src/config/json-schema.ts';
import { webSchema } from '../../src/server/web/schema.ts';
import { dnsLabel, flag, foreign, isShape, matching, port, type Shape, text } from './shapes.ts';

/** Must be absolute, because a volume is mounted there. */
const folder = matching('^/', 'An absolute path.');

/** Settings that the chart must know, so they may not be a `${NAME}`, which only snowgauge can resolve. */
const known: Readonly<Record<string, Shape>> = {
  port,
  enabled: flag,
  name: dnsLabel,
  stateDir: folder,
  podInfoDir: folder,
  serviceAccountDir: folder,
  // The templates validate the URL, with a better message.
  url: { ...text, description: 'An http or https URL.' },
};

/**
 * Merges the alternatives "`${NAME}`" and number or pattern into one schema, because their keywords do not overlap; an error is
 * then one line instead of one per alternative.
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

/** Prefers the descriptions of `known`. */
const shapeAt = (key: string, child: unknown): unknown => {
  const own = known[key];
  if (own === undefined) return plain(child);
  return isShape(child) && child.description !== undefined ? { ...own, description: child.description } : own;
};

const shapeOf = ({ $schema: _, ...schema }: Shape): Shape => {
  const shape = plain(schema);
  return isShape(shape) ? shape : foreign;
};

/** The output of `snowgauge config schema`. */
export const configShape = (): Shape => shapeOf(configJsonSchema());

/** The schema of the file of `--web.config.file`, which has no variables. */
export const webConfigShape = (): Shape => shapeOf(z.toJSONSchema(webSchema, { target: 'draft-7', io: 'input' }));
