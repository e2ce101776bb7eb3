// Where and why a text is not JSON. JSON.parse gives a position for some errors only, depending on the version of Node.js, and quotes
// the text, which may contain secrets.

import { yieldToProbes } from '../pause.ts';

/** `first`: of a list or an object, which may also end here. */
type Expected = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'more';

/** Yields to the event loop after this time. */
const maxIterationMs = 10;

/** Such as `line 2: not JSON: expected a value`. For a text that JSON.parse rejects. */
export const jsonFault = async (text: string): Promise<string> => {
  if (text.startsWith('\uFEFF')) return 'line 1: not JSON: it begins with a byte order mark: remove it';
  // Bounded, so that each is found within a moment.
  const space = /[ \t\r]{1,4096}/y;
  const plain = /[ !#-[\]-\uffff]{1,4096}/y;
  const escaped = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
  const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
  /** Of the lists and objects that are open. */
  const closers: ('}' | ']')[] = [];
  /** `next`: what is expected after the string that is open. */
  let [expected, next]: [Expected, Expected | undefined] = ['value', undefined];
  let [at, line, lastLine, yieldedAt] = [0, 1, 1, performance.now()];
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const [found = ''] = pattern.exec(text) ?? [];
    at += found.length;
    return found !== '';
  };

  for (let count = 1; at < text.length; count += 1) {
    if (count % 100 === 0 && performance.now() - yieldedAt > maxIterationMs) {
      await yieldToProbes();
      yieldedAt = performance.now();
    }
    const char = text.charAt(at);
    if (next !== undefined) {
      if (skip(plain) || skip(escaped)) continue;
      if (char !== '"') return `line ${line}: not JSON: ${inString}`;
      at += 1;
      [expected, next] = [next, undefined];
      continue;
    }
    if (char === '\n') {
      at += 1;
      line += 1;
      continue;
    }
    if (skip(space)) continue;
    lastLine = line;
    const closer = closers.at(-1);
    if (char === closer && (expected === 'more' || expected.startsWith('first'))) {
      closers.pop();
      at += 1;
      expected = 'more';
    } else if (expected === 'more') {
      if (char !== ',' || closer === undefined)
        return `line ${line}: not JSON: expected ${closer === undefined ? 'nothing more' : `, or ${closer}`}`;
      at += 1;
      expected = closer === '}' ? 'name' : 'value';
    } else if (expected === 'colon') {
      if (char !== ':') return `line ${line}: not JSON: expected a colon after the name`;
      at += 1;
      expected = 'value';
    } else if (expected.endsWith('name')) {
      if (char !== '"') return `line ${line}: not JSON: expected a name in double quotes`;
      [at, next] = [at + 1, 'colon'];
    } else if (char === '"') [at, next] = [at + 1, 'more'];
    else if (char === '{' || char === '[') {
      closers.push(char === '{' ? '}' : ']');
      at += 1;
      expected = char === '{' ? 'first name' : 'first value';
    } else {
      if (!skip(scalar)) return `line ${line}: not JSON: expected a value: a text needs double quotes`;
      expected = 'more';
    }
  }
  return `line ${lastLine}: not JSON: it ends too early`;
};

const inString = 'a text without its closing quote, or with a backslash or a character that must be escaped';
