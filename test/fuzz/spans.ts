// Positions of values, object members and list elements in a text that is or was JSON.

export interface Span {
  readonly kind: 'value' | 'member' | 'element';
  readonly start: number;
  readonly end: number;
}

interface Open {
  readonly start: number;
  readonly isList: boolean;
  /** Position of the name whose value it is. */
  readonly key: number | undefined;
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/gs;

/** In invalid JSON, finds what a tolerant reader would. */
export const spansOf = (text: string): readonly Span[] => {
  const spans: Span[] = [];
  const stack: Open[] = [];
  let key: number | undefined;
  let last: { readonly start: number; readonly end: number } | undefined;
  const add = (start: number, end: number, of: number | undefined): void => {
    spans.push({ kind: 'value', start, end });
    if (of !== undefined) spans.push({ kind: 'member', start: of, end });
    else if (stack.at(-1)?.isList === true) spans.push({ kind: 'element', start, end });
  };
  const flush = (): void => {
    if (last !== undefined) {
      add(last.start, last.end, key);
      key = undefined;
    }
    last = undefined;
  };
  for (const { 0: found, index } of text.matchAll(token)) {
    if (found === ':') {
      key = last?.start;
      last = undefined;
    } else if (found === ',') {
      flush();
    } else if (found === '{' || found === '[') {
      stack.push({ start: index, isList: found === '[', key });
      key = undefined;
    } else if (found === '}' || found === ']') {
      flush();
      const open = stack.pop();
      if (open !== undefined) add(open.start, index + 1, open.key);
    } else {
      last = { start: index, end: index + found.length };
    }
  }
  flush();
  return spans;
};
