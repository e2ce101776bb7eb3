// How much a YAML document is with every alias replaced by what it stands for.

import type { Alias, Node } from 'yaml';

export type Yaml = Pick<typeof import('./library.ts'), 'isAlias' | 'isMap' | 'isScalar' | 'isSeq'>;

/**
 * How many values there are with every alias replaced by what it stands for, and the first node with which they are too many: known
 * before any is made, because a few lines may stand for billions. What an alias stands for is settled where it is first met: an anchor
 * may be given again further down.
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
      // One that stands for what holds it is found as too deep.
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
