// Finds where and why a text is not JSON. The errors of JSON.parse are not enough: only some of them have a position, depending on the
// version of Node.js, and they quote the text, which may contain secrets.

import { yielding } from '../pause.ts';

/**
 * `first`: the first value of a list, or the first name of an object. The list or the object may also end here, because it may be empty.
 */
type Expected = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'more';

/** Returns the error as text, such as `line 2: not JSON: expected a value`. Only for a text that JSON.parse rejects. */
export const jsonFault = async (text: string): Promise<string> => {
  if (text.startsWith('\uFEFF')) return 'line 1: not JSON: it begins with a byte order mark: remove it';
  // At most 4096 characters per match, so that the loop can yield to the event loop between two matches.
  const space = /[ \t\r]{1,4096}/y;
  const plain = /[ !#-[\]-\uffff]{1,4096}/y;
  const escaped = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
  const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
  /** Closing brackets of the open lists and objects. The last one belongs to the innermost list or object. */
  const closers: ('}' | ']')[] = [];
  /** `next` is set inside a string: it is what is expected after the string. */
  let [expected, next]: [Expected, Expected | undefined] = ['value', undefined];
  let [at, line, lastLine] = [0, 1, 1];
  const yieldIfDue = yielding();
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const [found = ''] = pattern.exec(text) ?? [];
    at += found.length;
    return found !== '';
  };

  for (let count = 1; at < text.length; count += 1) {
    if (count % 100 === 0) await yieldIfDue();
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
