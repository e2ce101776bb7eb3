// Where the values, the members of objects and the elements of lists stand in a text that is JSON, or was.

export interface Span {
  readonly kind: 'value' | 'member' | 'element';
  readonly start: number;
  readonly end: number;
}

interface Open {
  readonly start: number;
  readonly isList: boolean;
  /** Where the name stands that it is the value of. */
  readonly key: number | undefined;
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/gs;

/** Of what is no JSON those that are as if it were. */
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
