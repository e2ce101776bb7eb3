// The version, put in by the build.

declare const __VERSION__: string | undefined;

/** `development` where the sources run unbundled, as in tests. */
export const version = typeof __VERSION__ === 'string' ? __VERSION__ : 'development';
