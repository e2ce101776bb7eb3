// Replaces `${NAME}` in a scalar by a variable of the environment. `${1}` is a group of a regular expression: no variable begins with a digit.

export type Variables = Readonly<Record<string, string | undefined>>;

const reference = /\$\$\{|\$\{(?!\d+\})(?:([A-Za-z_][A-Za-z0-9_]*)\})?/g;

/** `$${` is an escape for `${`. */
export const expand = (text: string, variables: Variables) => {
  /** The names of the variables in the text, in order. */
  const names: string[] = [];
  /** Error messages. They contain no values of variables. */
  const faults: string[] = [];
  const expanded = text.replace(reference, (match: string, name: string | undefined) => {
    if (match === '$${') return '${';
    if (name === undefined) {
      faults.push(`has an incomplete \`\${\`: write \${NAME}, or $\${ for a literal \${`);
      return match;
    }
    names.push(name);
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined) faults.push(`uses the environment variable ${name}, which is not set`);
    return value ?? '';
  });
  return { text: expanded, names, faults };
};

const number = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;

/** The text of a variable as a number or a boolean; undefined if it is neither. */
export const reread = (text: string): number | boolean | undefined => {
  const trimmed = text.trim();
  if (trimmed === 'true' || trimmed === 'false') return trimmed === 'true';
  return number.test(trimmed) ? Number(trimmed) : undefined;
};
