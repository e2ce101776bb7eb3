// node kubernetes-schemas.mjs FOLDER SOURCE...: writes strict JSON Schemas for kubeconform, one file per kind. A source is the
// OpenAPI document of a Kubernetes release (api/openapi-spec/swagger.json in its module) or a CustomResourceDefinition. Published
// schemas accept unknown fields, or are on a host that a machine without a network cannot reach.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled } from '../scripts/lib.mjs';

const definitionPath = '#/definitions/';

/** Rejects unknown fields of an object with listed fields, except where Kubernetes itself preserves them. */
const strict = (schema) => {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  const made = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'default' || keyword.startsWith('x-kubernetes-')) continue;
    made[keyword] = keyword === 'properties' ? strictEach(value) : strict(value);
  }
  if (schema['x-kubernetes-int-or-string'] === true || schema.format === 'int-or-string') {
    delete made.type;
    delete made.format;
    made.anyOf = [{ type: 'integer' }, { type: 'string' }];
  }
  const listed = made.properties !== undefined && made.additionalProperties === undefined;
  if (listed && schema['x-kubernetes-preserve-unknown-fields'] !== true) made.additionalProperties = false;
  return made;
};

const strictEach = (properties) => Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, strict(value)]));

/** Both are strings in the document, but may also be written as numbers. */
const numbersToo = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { anyOf: [{ type: 'string' }, { type: 'number' }] },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { anyOf: [{ type: 'string' }, { type: 'integer' }] },
};

const write = (folder, { group, version, kind }, schema) => {
  const suffix = group === '' ? version : `${group.split('.')[0]}-${version}`;
  const named = {
    ...schema,
    properties: {
      ...schema.properties,
      apiVersion: { const: group === '' ? version : `${group}/${version}` },
      kind: { const: kind },
    },
    required: [...new Set([...(schema.required ?? []), 'apiVersion', 'kind'])],
  };
  writeFileSync(join(folder, `${kind}-${suffix}.json`.toLowerCase()), JSON.stringify(named));
};

// A property may also be named $ref; its value is then not a string.
const reachable = (definitions, schema, found = new Set()) => {
  JSON.stringify(schema, (keyword, value) => {
    const name = keyword === '$ref' && typeof value === 'string' ? value.slice(definitionPath.length) : undefined;
    if (name !== undefined && !found.has(name)) {
      found.add(name);
      reachable(definitions, definitions[name], found);
    }
    return value;
  });
  return found;
};

const fromOpenApi = (folder, { definitions }) => {
  const made = { ...strictEach(definitions), ...numbersToo };
  for (const [name, definition] of Object.entries(definitions)) {
    const kinds = definition['x-kubernetes-group-version-kind'] ?? [];
    // Types with several groups are not manifest objects: DeleteOptions, WatchEvent.
    if (kinds.length !== 1) continue;
    const needed = [...reachable(made, made[name])].map((other) => [other, made[other]]);
    write(folder, kinds[0], { ...made[name], definitions: Object.fromEntries(needed) });
  }
};

const fromDefinition = (folder, { spec: { group, names, versions } }) => {
  for (const { name, schema } of versions) {
    const made = strict(schema.openAPIV3Schema);
    // Without fields, as in the document: the API server validates them.
    write(
      folder,
      { group, version: name, kind: names.kind },
      { ...made, properties: { ...made.properties, metadata: { type: 'object' } } },
    );
  }
};

const read = async (source) => {
  const text = readFileSync(source, 'utf8');
  if (source.endsWith('.json')) return JSON.parse(text);
  await ensureInstalled();
  return (await import('yaml')).parse(text);
};

const [folder, ...sources] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
for (const source of sources) {
  const document = await read(source);
  if (document.definitions !== undefined) fromOpenApi(folder, document);
  else fromDefinition(folder, document);
}
