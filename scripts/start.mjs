// npm start: the demo, in a clone without installed packages and build.

import { pathToFileURL } from 'node:url';
import { bundle, ensureBuilt, ensureInstalled } from './lib.mjs';

await ensureInstalled();
await ensureBuilt();
// In this process, so that signals and the exit code are those of the demo.
process.argv.splice(1, 1, bundle, 'demo');
await import(pathToFileURL(bundle).href);
