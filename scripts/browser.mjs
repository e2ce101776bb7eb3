// Imports as text: './page.ts?browser' is the file bundled and minified for a browser, './worker.ts?worker' for a thread of
// Node.js. A plugin for esbuild, which builds the program, and one for Vite, which runs the tests from source.

const suffix = /\?(browser|worker)$/;

/** The inputs of these texts, as in a metafile, because their packages are distributed too. */
export const textInputs = new Set();

/**
 * @param {string} file
 * @param {string} kind
 * @returns {Promise<string>} a module that exports `text`
 */
const moduleOf = async (file, kind) => {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    metafile: true,
    ...(kind === 'browser'
      ? { platform: 'browser', target: 'es2022', format: 'iife' }
      : { platform: 'node', target: 'node20.19', format: 'cjs' }),
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
  });
  for (const input of Object.keys(metafile.inputs)) textInputs.add(input);
  return `export const text = ${JSON.stringify(outputFiles[0]?.text.trim())};`;
};

/** @type {import('esbuild').Plugin} */
export const browserText = {
  name: 'browser-text',
  setup({ onLoad, onResolve, resolve }) {
    onResolve({ filter: suffix }, async ({ path, kind, resolveDir }) => {
      const found = await resolve(path.replace(suffix, ''), { kind, resolveDir });
      const pluginData = suffix.exec(path)?.[1];
      return found.errors.length > 0 ? found : { path: found.path, namespace: 'browser-text', pluginData };
    });
    onLoad({ filter: /^/, namespace: 'browser-text' }, async ({ path, pluginData }) => ({
      contents: await moduleOf(path, pluginData),
    }));
  },
};

// Ends with `.js`, because otherwise Vite would treat it as CSS or TypeScript.
const id = /^\0(browser|worker)-text:(.*)\.js$/;

/** @type {import('vite').Plugin} */
export const viteBrowserText = {
  name: 'browser-text',
  enforce: 'pre',
  async resolveId(source, importer) {
    const kind = suffix.exec(source)?.[1];
    if (kind === undefined) return undefined;
    const found = await this.resolve(source.replace(suffix, ''), importer, { skipSelf: true });
    return found && `\0${kind}-text:${found.id}.js`;
  },
  load: (loaded) => {
    const [, kind = '', file] = id.exec(loaded) ?? [];
    return file === undefined ? undefined : moduleOf(file, kind);
  },
};
