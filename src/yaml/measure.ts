// Counts the values of a YAML document with all aliases expanded.

import type { Alias, Node } from 'yaml';

export type Yaml = Pick<typeof import('./library.ts'), 'isAlias' | 'isMap' | 'isScalar' | 'isSeq'>;

/**
 * The number of values with all aliases expanded, and the first node that exceeds the limit. They are counted before they are created, because a
 * few lines may expand to billions. The target of an alias is the last anchor of its name before it: an anchor may be defined again further down.
 */
export const measure = (yaml: Yaml, contents: Node, limit: number) => {
  const anchors = new Map<string, Node>();
  const aliases = new Map<Alias, Node | undefined>();
  const sizes = new Map<Node, number>();
  let nodes = 0;
  let tooMany: Node | undefined;
  const add = (node: Node | null | undefined, size: number): void => {
    nodes += size;
    if (nodes > limit) tooMany ??= node ?? undefined;
  };
  const visit = (node: Node | null | undefined): void => {
    if (yaml.isAlias(node)) {
      const target = anchors.get(node.source);
      aliases.set(node, target);
      // An alias within its own target is found later, as nested too deeply.
      add(node, (target && sizes.get(target)) ?? 1);
      return;
    }
    const before = nodes;
    add(node, 1);
    if (node === null || node === undefined) return;
    if ('anchor' in node && typeof node.anchor === 'string') anchors.set(node.anchor, node);
    if (yaml.isSeq<Node>(node)) for (const item of node.items) visit(item);
    if (yaml.isMap<Node, Node>(node)) for (const { value } of node.items) visit(value);
    sizes.set(node, nodes - before);
  };
  visit(contents);
  return { aliases, nodes, tooMany };
};
