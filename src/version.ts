// The version, which the build inserts.

declare const __VERSION__: string | undefined;

/** `development` if the sources run unbundled, as in tests. */
export const version = typeof __VERSION__ === 'string' ? __VERSION__ : 'development';
