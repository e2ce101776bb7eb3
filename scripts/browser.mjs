// What runs in a browser, as text: an import of './page.ts?browser' is the file with all that it imports, minified. For esbuild, which
// builds the program, and for Vite, which runs the tests out of the sources.

const suffix = '?browser';

/**
 * @param {string} file
 * @returns {Promise<string>} a module that exports `text`
 */
const moduleOf = async (file) => {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    platform: 'browser',
    target: 'es2022',
    format: 'iife',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
  });
  return `export const text = ${JSON.stringify(outputFiles[0]?.text.trim())};`;
};

/** @type {import('esbuild').Plugin} */
export const browserText = {
  name: 'browser-text',
  setup({ onLoad, onResolve, resolve }) {
    onResolve({ filter: /\?browser$/ }, async ({ path, kind, resolveDir }) => {
      const found = await resolve(path.slice(0, -suffix.length), { kind, resolveDir });
      return found.errors.length > 0 ? found : { path: found.path, namespace: 'browser-text' };
    });
    onLoad({ filter: /^/, namespace: 'browser-text' }, async ({ path }) => ({ contents: await moduleOf(path) }));
  },
};

// Ends in `.js`, or Vite and Vitest would see a style sheet or TypeScript in it.
const id = /^\0browser-text:(.*)\.js$/;

/** @type {import('vite').Plugin} */
export const viteBrowserText = {
  name: 'browser-text',
  enforce: 'pre',
  async resolveId(source, importer) {
    if (!source.endsWith(suffix)) return undefined;
    const found = await this.resolve(source.slice(0, -suffix.length), importer, { skipSelf: true });
    return found && `\0browser-text:${found.id}.js`;
  },
  load: (loaded) => {
    const file = id.exec(loaded)?.[1];
    return file === undefined ? undefined : moduleOf(file);
  },
};
