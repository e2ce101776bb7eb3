// Why a file cannot be read, in words for a person.

const words: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['EACCES', 'permission denied'],
  ['EISDIR', 'it is a folder'],
]);

export const fileFault = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return words.get(code) ?? code;
};
