// A check's message as a person reads it.

/** The message as lines of `path value` for a person; the path is empty where the message is no object. */
export const messageFields = (message: unknown): readonly (readonly [path: string, value: string])[] => {
  const fields: (readonly [string, string])[] = [];
  const walk = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) fields.push([path, String(value)]);
    else if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
      fields.push([path, value.join(', ') || 'none']);
    else for (const [name, member] of Object.entries(value)) walk(member, path === '' ? name : `${path}.${name}`);
  };
  walk(message, '');
  return fields;
};
