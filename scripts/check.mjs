// npm run check: types, lint and format, generated documents, then the tests. Stops at the first failure.

import { join } from 'node:path';
import { ensureInstalled, node, root } from './lib.mjs';

const bin = join(root, 'node_modules');

/** @type {readonly { readonly kind: string, readonly args: readonly string[] }[]} */
const kinds = [
  { kind: 'types', args: [join(bin, 'typescript/bin/tsc'), '-p', root] },
  { kind: 'types in the browser', args: [join(bin, 'typescript/bin/tsc'), '-p', join(root, 'src/server/browser')] },
  {
    kind: 'lint and format',
    args: [join(bin, '@biomejs/biome/bin/biome'), 'ci', '--error-on-warnings', '--max-diagnostics=none'],
  },
  { kind: 'generated documents', args: [join(root, 'scripts/docs.mjs'), '--check'] },
  { kind: 'tests', args: [join(root, 'scripts/test.mjs'), ...process.argv.slice(2)] },
];

await ensureInstalled();
for (const { kind, args } of kinds) {
  console.error(`snowgauge: ${kind}`);
  const code = await node(args);
  if (code === 0) continue;
  if (kind !== 'tests') console.error(`snowgauge: ${kind} failed, the rest was not run`);
  process.exitCode = code;
  break;
}
