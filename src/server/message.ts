// Formats the message of a check for people.

/** Flattens a message into pairs of path and value. The path is empty if the message is not an object. */
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
