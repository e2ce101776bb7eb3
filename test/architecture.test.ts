// The architecture rules: the import table, and what a file may use and contain.

import { init } from 'es-module-lexer';
import { beforeAll, describe, expect, test } from 'vitest';
import { importViolations } from './architecture/import-table.ts';
import {
  cycles,
  formerNames,
  readsForeignFolder,
  tooLong,
  touchesProcess,
  twoMeanings,
  undeclared,
} from './architecture/rules.ts';
import { importsOf, readProject } from './architecture/sources.ts';

beforeAll(async () => {
  await init();
});

const project = readProject();
const dependencies = Object.keys(JSON.parse(project.get('package.json') ?? '{}').dependencies ?? {});
const declared = (sources: ReadonlyMap<string, string>) => undeclared(sources, dependencies);

describe('the project', () => {
  test.each([
    { rule: 'every import is in the import table', violations: importViolations },
    { rule: 'no files import each other in a cycle', violations: cycles },
    { rule: 'only src/main.ts touches process', violations: touchesProcess },
    { rule: 'src imports only declared dependencies', violations: declared },
    { rule: 'no file has 250 lines or more, and no suite 400', violations: tooLong },
    { rule: 'no name is exported by two files of src', violations: twoMeanings },
    { rule: 'no name is banned', violations: formerNames },
    { rule: 'no file mentions a folder outside the project', violations: readsForeignFolder },
  ])('$rule', ({ violations }) => {
    expect(violations(project)).toEqual([]);
  });

  test('is checked: the rules read many files', () => {
    expect([...project.keys()].filter((file) => file.startsWith('src/')).length).toBeGreaterThan(20);
  });
});

describe('an import is caught when', () => {
  test.each([
    { broken: 'protocol imports another folder', file: 'src/protocol/id.ts', text: "import { parse } from '../yaml/parse.ts';" },
    { broken: 'the client imports the node', file: 'src/client/client.ts', text: "import { a } from '../node/node.ts';" },
    { broken: 'the node imports the client', file: 'src/node/node.ts', text: "import type { A } from '../client/client.ts';" },
    {
      broken: 'a subfolder of the node imports the client',
      file: 'src/node/health/worker.ts',
      text: "import { a } from '../../client/client.ts';",
    },
    {
      broken: 'snapshot imports a value',
      file: 'src/snapshot/a.ts',
      text: "import { createClient } from '../client/client.ts';",
    },
    {
      broken: 'an import of types has a value, too',
      file: 'src/metrics/a.ts',
      text: "import { type Outcome, describe } from '../client/outcome.ts';",
    },
    { broken: 'it is a dynamic import', file: 'src/metrics/a.ts', text: "const x = await import('../server/listen.ts');" },
    { broken: 'it is a re-export', file: 'src/protocol/a.ts', text: "export * from '../client/outcome.ts';" },
    { broken: 'it is a bare import', file: 'src/protocol/a.ts', text: "import '../client/outcome.ts';" },
    { broken: 'server imports the client', file: 'src/server/a.ts', text: "import { createClient } from '../client/client.ts';" },
    { broken: 'a folder imports the exporter', file: 'src/server/a.ts', text: "import type { Exporter } from '../exporter.ts';" },
    { broken: 'a folder imports a command', file: 'src/server/a.ts', text: "import { run } from '../commands/run.ts';" },
    { broken: 'the exporter imports a command', file: 'src/exporter.ts', text: "import { run } from './commands/run.ts';" },
    { broken: 'a command imports main', file: 'src/commands/run.ts', text: "import '../main.ts';" },
    { broken: 'the log is imported as a value', file: 'src/poller/a.ts', text: "import { silentLog } from '../log.ts';" },
    { broken: 'src imports from outside of src', file: 'src/exporter.ts', text: "import { a } from '../test/support/serve.ts';" },
    { broken: 'a shared file imports a folder of src', file: 'src/pause.ts', text: "import { a } from './protocol/id.ts';" },
    { broken: 'its folder has no row in the table', file: 'src/helpers/a.ts', text: "import { a } from '../protocol/id.ts';" },
    { broken: 'got is imported elsewhere', file: 'src/client/client.ts', text: "import got from 'got';" },
    { broken: 'types of got are imported elsewhere', file: 'src/client/client.ts', text: "import type { Got } from 'got';" },
    { broken: 'node-cron is imported elsewhere', file: 'src/poller/poll.ts', text: "import cron from 'node-cron';" },
    { broken: 'prom-client is imported elsewhere', file: 'src/metrics/report.ts', text: "import { Gauge } from 'prom-client';" },
    { broken: 'classic-level is imported elsewhere', file: 'src/node/node.ts', text: "await import('classic-level');" },
    { broken: 'the whole of zod is imported', file: 'src/protocol/a.ts', text: "import * as z from 'zod';" },
  ])('$broken', ({ file, text }) => {
    expect(importViolations(new Map([[file, text]]))).toHaveLength(1);
  });
});

describe('an import is allowed when', () => {
  test.each([
    { fine: 'it stays in its folder', file: 'src/node/health/worker.ts', text: "import { a } from '../node.ts';" },
    { fine: 'snapshot imports types', file: 'src/snapshot/a.ts', text: "import { type Outcome } from '../client/outcome.ts';" },
    {
      fine: 'server imports describe() of outcomes',
      file: 'src/server/a.ts',
      text: "import { describe, type Outcome } from '../client/outcome.ts';",
    },
    { fine: 'it is a shared file of src', file: 'src/yaml/a.ts', text: "import { a } from '../pause.ts';" },
    {
      fine: 'main imports commands',
      file: 'src/main.ts',
      text: "import { createLog } from './logger.ts';\nimport { run } from './commands/run.ts';",
    },
    {
      fine: 'a command imports the exporter',
      file: 'src/commands/run.ts',
      text: "import { startExporter } from '../exporter.ts';",
    },
    { fine: 'the exporter imports folders', file: 'src/exporter.ts', text: "import { listen } from './server/listen.ts';" },
    { fine: 'it is the file of that library', file: 'src/client/transport.ts', text: "import got from 'got';" },
    { fine: 'the log is imported as a type', file: 'src/poller/a.ts', text: "import type { Log } from '../log.ts';" },
    { fine: 'it is inside a string', file: 'src/protocol/a.ts', text: 'const text = "import \'../client/outcome.ts\'";' },
  ])('$fine', ({ file, text }) => {
    expect(importViolations(new Map([[file, text]]))).toEqual([]);
  });

  test('imported names are read from every form of import', () => {
    const text =
      "import one, { two as three, type Four } from './a.ts';\nimport * as all from './b.ts';\nimport type { Five } from './c.ts';";
    expect(importsOf('src/x.ts', text).map(({ values }) => values)).toEqual([['two', 'default'], ['*'], []]);
  });
});

describe('a file is caught when', () => {
  const one = (text: string, file = 'src/poller/a.ts') => new Map([[file, text]]);
  test.each([
    { broken: 'it reads the environment', found: touchesProcess(one('export const a = process.env.A;')) },
    { broken: 'it uses globalThis.process', found: touchesProcess(one('globalThis.process.exit(1);')) },
    { broken: 'it imports process', found: touchesProcess(one("import { exit } from 'node:process';")) },
    { broken: 'it has 250 lines', found: tooLong(one('a;\n'.repeat(250))) },
    { broken: 'it imports a package that is not a dependency', found: declared(one("import * as fc from 'fast-check';")) },
    {
      broken: 'it reads a folder outside the project',
      found: readsForeignFolder(one(`read('../${['sha', 'red'].join('')}/x');`)),
    },
    {
      broken: 'two files export the same name',
      found: twoMeanings(
        new Map([
          ['src/poller/a.ts', 'export interface Step {}\nexport const a = 1;'],
          ['src/conditions/b.ts', 'export type { Step };\nconst a = 2;'],
        ]),
      ),
    },
    {
      broken: 'two folders export the same name, one of them by destructuring',
      found: twoMeanings(
        new Map([
          ['src/node/a.ts', 'export const safe = 1;'],
          ['src/restart/a.ts', 'export const [safe, unsafe] = [1, 2];'],
        ]),
      ),
    },
    {
      broken: 'two files import each other',
      found: cycles(
        new Map([
          ['src/a.ts', "import { b } from './b.ts';"],
          ['src/b.ts', "import { type A, a } from './a.ts';"],
        ]),
      ),
    },
    {
      broken: 'two files import each other, one of them only a type',
      found: cycles(
        new Map([
          ['src/a.ts', "import { b } from './b.ts';"],
          ['src/b.ts', "import type { A } from './a.ts';"],
        ]),
      ),
    },
  ])('$broken', ({ found }) => {
    expect(found).toHaveLength(1);
  });

  test.each([
    { fine: 'it uses import.meta', found: touchesProcess(one('export const a = import.meta.url;')) },
    {
      fine: 'process is only a word or a key',
      found: touchesProcess(one("// process\nexport const a = { process: 'process' };")),
    },
    {
      fine: 'a name is re-exported',
      found: twoMeanings(
        new Map([
          ['src/server/a.ts', "export { span } from '../snapshot/text.ts';\nexport type { Span } from '../snapshot/text.ts';"],
          ['src/snapshot/text.ts', 'export const span = 1;\nexport type Span = number;'],
        ]),
      ),
    },
    {
      fine: 'a schema and its type have the same name',
      found: twoMeanings(one('export const mark = 1;\nexport type mark = number;')),
    },
    {
      fine: 'only one of two files exports the name',
      found: twoMeanings(
        new Map([
          ['src/node/a.ts', 'export const listen = 1;'],
          ['src/server/a.ts', 'const listen = 2;'],
        ]),
      ),
    },
    { fine: 'main uses process', found: touchesProcess(one('process.exit(1);', 'src/main.ts')) },
    { fine: 'it has 249 lines', found: tooLong(one('a;\n'.repeat(249))) },
  ])('but not when $fine', ({ found }) => {
    expect(found).toEqual([]);
  });
});
