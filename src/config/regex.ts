// Regular expressions of Go, with the library that runs them, which is loaded with the first of them.

/** As in Prometheus, the expression of a relabeling must match the whole value. */
export const ofWholeValue = (regex: string): string => `^(?s:${regex})$`;

/** The result throws if the text is not an RE2 expression. */
export const loadRegexCompiler = async () => {
  const { RE2JS } = await import('./re2.ts');
  return (regex: string) => RE2JS.compile(ofWholeValue(regex));
};

export type Regex = ReturnType<Awaited<ReturnType<typeof loadRegexCompiler>>>;

/** The result says why a text is not an RE2 expression, or returns undefined. */
export const loadRegexFault = async () => {
  const { RE2JS } = await import('./re2.ts');
  return (regex: string): string | undefined => {
    try {
      RE2JS.compile(regex);
      return undefined;
    } catch (error) {
      // The rest of the message quotes the expression.
      const why = error instanceof Error ? error.message.replace(/^error parsing regexp: |: `.*/gs, '') : '';
      return `is not an RE2 expression: ${why}`;
    }
  };
};
