// npm start: the demo, in a clone where nothing needs to be installed or built yet.

import { pathToFileURL } from 'node:url';
import { bundle, ensureBuilt, ensureInstalled } from './lib.mjs';

await ensureInstalled();
await ensureBuilt();
// In this process, not in another: a signal comes once, and the exit code is the demo's own.
process.argv.splice(1, 1, bundle, 'demo');
await import(pathToFileURL(bundle).href);
