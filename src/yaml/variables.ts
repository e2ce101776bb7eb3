// `${NAME}` in a scalar, from the environment. `${1}` is a group of a regular expression: no variable begins with a digit.

export type Variables = Readonly<Record<string, string | undefined>>;

const reference = /\$\$\{|\$\{(?!\d+\})(?:([A-Za-z_][A-Za-z0-9_]*)\})?/g;

/** `$${` stands for the two characters `${`. */
export const expand = (text: string, variables: Variables) => {
  /** The variables that were asked for, in order. */
  const names: string[] = [];
  /** What is wrong, without any value of a variable in it. */
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

/** A variable's text as the number or boolean that it spells, where a schema wants one; undefined when it spells none. */
export const reread = (text: string): number | boolean | undefined => {
  const trimmed = text.trim();
  if (trimmed === 'true' || trimmed === 'false') return trimmed === 'true';
  return number.test(trimmed) ? Number(trimmed) : undefined;
};
