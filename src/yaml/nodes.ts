// Converts the nodes of a YAML document to plain values, with the position of each, and collects all errors.

import type { Alias, Node, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { measure, type Yaml } from './measure.ts';
import { type Path, pathText, shownPath } from './path.ts';
import { expand, type Variables } from './variables.ts';

export interface Position {
  /** 1-based; absent if the value is not in the text. */
  readonly line?: number;
  /** The line of the key of the value. */
  readonly keyLine?: number;
  /** The variables in the value, such as `${NAME}`, for error messages. Then the value is never shown. */
  readonly from?: string;
  /** The value could not be read: that is an error already, so errors of the schema are ignored. */
  readonly unknown?: true;
}

interface Fault {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

interface ReadOptions {
  readonly env: Variables | undefined;
  /** Numbers and booleans are read as texts. */
  readonly asWritten: boolean;
  readonly lineAt: (offset: number) => number;
  /** Nodes are counted with all aliases expanded. */
  readonly limits: { readonly depth: number; readonly nodes: number; readonly expandedCharacters: number };
}

export const readNodes = (yaml: Yaml, contents: Node, { env, asWritten, lineAt, limits }: ReadOptions) => {
  const positions = new Map<string, Position>();
  const faults: Fault[] = [];
  const { aliases, nodes, tooMany } = measure(yaml, contents, limits.nodes);
  let stopped = false;
  let expandedCharacters = 0;

  const lineOf = (node: Node): number => lineAt(node.range?.[0] ?? 0);
  const fault = (path: Path, line: number, message: string): undefined => {
    faults.push({ path: shownPath(path), line, message });
    return undefined;
  };
  /** Ends the walk. */
  const stop = (line: number, message: string): undefined => {
    stopped = true;
    return fault([], line, message);
  };

  const readValue = (node: Node | null | undefined, path: Path, keyLine: number): unknown => {
    if (stopped) return undefined;
    const line = node?.range ? lineOf(node) : keyLine;
    if (path.length > limits.depth) return stop(line, `nested more than ${limits.depth} levels deep`);
    positions.set(pathText(path), { line, keyLine });
    if (node === null || node === undefined) return null;
    if (yaml.isAlias(node)) return aliasValue(node, path, line);
    if (yaml.isScalar(node)) return scalarValue(node, path, line, keyLine);
    if (yaml.isSeq<Node>(node)) return sequenceValue(node, path, line);
    if (yaml.isMap<Node, Node>(node)) return mappingValue(node, path);
    return null;
  };

  const aliasValue = (alias: Alias, path: Path, line: number): unknown => {
    const target = aliases.get(alias);
    if (target !== undefined) return readValue(target, path, line);
    positions.set(pathText(path), { line, unknown: true });
    return fault(path, line, 'refers to an undefined anchor: quote a string that begins with *');
  };

  const scalarValue = ({ value, source }: Scalar, path: Path, line: number, keyLine: number): unknown => {
    if (asWritten && value !== null) return typeof value === 'string' ? value : (source ?? String(value));
    if (typeof value !== 'string' || env === undefined || !value.includes('${')) return value;
    const expansion = expand(value, env);
    for (const message of expansion.faults) fault(path, line, message);
    expandedCharacters += expansion.text.length;
    if (expandedCharacters > limits.expandedCharacters) {
      return stop(line, `the variables named up to here hold more than ${limits.expandedCharacters} characters`);
    }
    const from = [...new Set(expansion.names)].map((name) => `\${${name}}`).join(' and ');
    positions.set(pathText(path), {
      line,
      keyLine,
      ...(from !== '' && { from }),
      ...(expansion.faults.length > 0 && { unknown: true as const }),
    });
    return expansion.text;
  };

  const sequenceValue = ({ items }: YAMLSeq<Node>, path: Path, line: number): unknown => {
    const value: unknown[] = [];
    for (const item of items) {
      if (stopped) break;
      value.push(readValue(item, [...path, value.length], line));
    }
    return value;
  };

  const mappingValue = (mapping: YAMLMap<Node, Node | null>, path: Path): unknown => {
    const value: Record<string, unknown> = {};
    const firstLines = new Map<string, number>();
    for (const item of mapping.items) {
      if (stopped) break;
      const line = item.key?.range ? lineOf(item.key) : lineOf(mapping);
      const key = keyOf(item.key);
      if (key === undefined || key === '__proto__') {
        fault(path, line, key === undefined ? 'a key must be a string' : 'the key __proto__ cannot be used');
        continue;
      }
      const first = firstLines.get(key);
      if (first !== undefined) {
        fault([...path, key], line, `duplicate key, first on line ${first}: remove one`);
        continue;
      }
      firstLines.set(key, line);
      value[key] = readValue(item.value, [...path, key], line);
    }
    return value;
  };

  /** Every key is a text: `404: x` has the key "404". */
  const keyOf = (key: Node | null): string | undefined => {
    if (!yaml.isScalar(key) || key.value === null) return undefined;
    return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
  };

  const value =
    nodes > limits.nodes
      ? stop(
          tooMany === undefined ? lineOf(contents) : lineOf(tooMany),
          `more than ${limits.nodes} values, with aliases expanded`,
        )
      : readValue(contents, [], lineOf(contents));
  /** `complete`: no limit ended the walk. */
  return { value, positions, faults, complete: !stopped };
};
