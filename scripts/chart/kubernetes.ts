// References to the Kubernetes types that the schema of the values uses, and their definitions.

import types from './kubernetes.json' with { type: 'json' };
import { listOf, type Shape } from './shapes.ts';

type Name = keyof typeof types;

const all: Readonly<Record<string, Shape>> = types;

export const kube = (name: Name): Shape => ({ $ref: `#/definitions/${name}` });
export const kubeList = (name: Name): Shape => listOf(kube(name));

const shapeOf = (value: unknown): Shape => (typeof value === 'object' && value !== null ? { ...value } : {});

/** The type without the fields that the chart sets itself. */
export const kubeWithout = (name: Name, ...fields: readonly string[]): Shape => {
  const { required, ...type } = shapeOf(types[name]);
  const properties = Object.entries(shapeOf(type.properties)).filter(([field]) => !fields.includes(field));
  const needed = (Array.isArray(required) ? required : []).filter((field: string) => !fields.includes(field));
  return { ...type, properties: Object.fromEntries(properties), ...(needed.length > 0 && { required: needed }) };
};

/** Only known resource names: Kubernetes accepts a misspelt `memroy` until a pod is admitted. */
const quantities: Shape = {
  type: 'object',
  additionalProperties: false,
  patternProperties: { '^(cpu|memory|ephemeral-storage|hugepages-.+|.+/.+)$': kube('Quantity') },
};
const strictQuantities = (type: Shape): Shape => ({
  ...type,
  properties: { ...shapeOf(type.properties), limits: quantities, requests: quantities },
});

/** The definitions that the schema refers to, directly or indirectly. */
export const definitionsFor = (schema: Shape): Readonly<Record<string, Shape>> => {
  const found = new Map<string, Shape>();
  const add = (shape: Shape): void => {
    for (const [, name = ''] of JSON.stringify(shape).matchAll(/"#\/definitions\/(\w+)"/g)) {
      const type = all[name];
      if (type === undefined || found.has(name)) continue;
      found.set(name, name === 'ResourceRequirements' ? strictQuantities(type) : type);
      add(type);
    }
  };
  add(schema);
  return Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
};
