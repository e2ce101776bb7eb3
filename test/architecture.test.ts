// The house keeps its own rules: the import table, and what one file may touch or hold.

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
    { rule: 'no files import each other in a circle', violations: cycles },
    { rule: 'only src/main.ts touches process', violations: touchesProcess },
    { rule: 'what src imports is among the dependencies', violations: declared },
    { rule: 'no file is 250 lines long, and no suite 400', violations: tooLong },
    { rule: 'no name is exported by two files of src', violations: twoMeanings },
    { rule: 'no name is one that the field does not use', violations: formerNames },
    { rule: 'no file names a folder outside the project', violations: readsForeignFolder },
  ])('$rule', ({ violations }) => {
    expect(violations(project)).toEqual([]);
  });

  test('is seen: the rules look at many files', () => {
    expect([...project.keys()].filter((file) => file.startsWith('src/')).length).toBeGreaterThan(20);
  });
});

describe('an import is caught when', () => {
  test.each([
    { broken: 'protocol imports any of ours', file: 'src/protocol/id.ts', text: "import { parse } from '../yaml/parse.ts';" },
    { broken: 'the client imports the node', file: 'src/client/client.ts', text: "import { a } from '../node/node.ts';" },
    { broken: 'the node imports the client', file: 'src/node/node.ts', text: "import type { A } from '../client/client.ts';" },
    {
      broken: 'the node imports the client from a folder deeper',
      file: 'src/node/health/worker.ts',
      text: "import { a } from '../../client/client.ts';",
    },
    {
      broken: 'snapshot imports a value',
      file: 'src/snapshot/a.ts',
      text: "import { createClient } from '../client/client.ts';",
    },
    {
      broken: 'a value hides among types',
      file: 'src/metrics/a.ts',
      text: "import { type Outcome, describe } from '../client/outcome.ts';",
    },
    { broken: 'a dynamic import does it', file: 'src/metrics/a.ts', text: "const x = await import('../server/listen.ts');" },
    { broken: 'a re-export does it', file: 'src/protocol/a.ts', text: "export * from '../client/outcome.ts';" },
    { broken: 'a bare import does it', file: 'src/protocol/a.ts', text: "import '../client/outcome.ts';" },
    { broken: 'server asks', file: 'src/server/a.ts', text: "import { createClient } from '../client/client.ts';" },
    { broken: 'a folder imports the exporter', file: 'src/server/a.ts', text: "import type { Exporter } from '../exporter.ts';" },
    { broken: 'a folder imports a command', file: 'src/server/a.ts', text: "import { run } from '../commands/run.ts';" },
    { broken: 'the exporter imports a command', file: 'src/exporter.ts', text: "import { run } from './commands/run.ts';" },
    { broken: 'a command imports main', file: 'src/commands/run.ts', text: "import '../main.ts';" },
    { broken: 'the log is taken, not passed in', file: 'src/poller/a.ts', text: "import { silentLog } from '../log.ts';" },
    { broken: 'src leaves src', file: 'src/exporter.ts', text: "import { a } from '../test/support/serve.ts';" },
    { broken: 'what all rooms share imports one of them', file: 'src/pause.ts', text: "import { a } from './protocol/id.ts';" },
    { broken: 'a folder has no row', file: 'src/helpers/a.ts', text: "import { a } from '../protocol/id.ts';" },
    { broken: 'got is imported twice', file: 'src/client/client.ts', text: "import got from 'got';" },
    { broken: 'got is imported for its types', file: 'src/client/client.ts', text: "import type { Got } from 'got';" },
    { broken: 'node-cron is imported twice', file: 'src/poller/poll.ts', text: "import cron from 'node-cron';" },
    { broken: 'prom-client is imported twice', file: 'src/metrics/report.ts', text: "import { Gauge } from 'prom-client';" },
    { broken: 'classic-level is imported twice', file: 'src/node/node.ts', text: "await import('classic-level');" },
    { broken: 'the whole of zod is imported', file: 'src/protocol/a.ts', text: "import * as z from 'zod';" },
  ])('$broken', ({ file, text }) => {
    expect(importViolations(new Map([[file, text]]))).toHaveLength(1);
  });
});

describe('an import is let through when', () => {
  test.each([
    { fine: 'it stays in its folder', file: 'src/node/health/worker.ts', text: "import { a } from '../node.ts';" },
    { fine: 'snapshot takes types', file: 'src/snapshot/a.ts', text: "import { type Outcome } from '../client/outcome.ts';" },
    {
      fine: 'server says failures',
      file: 'src/server/a.ts',
      text: "import { describe, type Outcome } from '../client/outcome.ts';",
    },
    { fine: 'it is one of the files beside the rooms', file: 'src/yaml/a.ts', text: "import { a } from '../pause.ts';" },
    {
      fine: 'main wires',
      file: 'src/main.ts',
      text: "import { createLog } from './logger.ts';\nimport { run } from './commands/run.ts';",
    },
    { fine: 'a command wires', file: 'src/commands/run.ts', text: "import { startExporter } from '../exporter.ts';" },
    { fine: 'the exporter wires', file: 'src/exporter.ts', text: "import { listen } from './server/listen.ts';" },
    { fine: 'it is one file’s library', file: 'src/client/transport.ts', text: "import got from 'got';" },
    { fine: 'the log is a type', file: 'src/poller/a.ts', text: "import type { Log } from '../log.ts';" },
    { fine: 'it stands in text', file: 'src/protocol/a.ts', text: 'const text = "import \'../client/outcome.ts\'";' },
  ])('$fine', ({ file, text }) => {
    expect(importViolations(new Map([[file, text]]))).toEqual([]);
  });

  test('names are read from every form of it', () => {
    const text =
      "import one, { two as three, type Four } from './a.ts';\nimport * as all from './b.ts';\nimport type { Five } from './c.ts';";
    expect(importsOf('src/x.ts', text).map(({ values }) => values)).toEqual([['two', 'default'], ['*'], []]);
  });
});

describe('a file is caught when', () => {
  const one = (text: string, file = 'src/poller/a.ts') => new Map([[file, text]]);
  test.each([
    { broken: 'it reads the environment', found: touchesProcess(one('export const a = process.env.A;')) },
    { broken: 'it asks for the global by its owner', found: touchesProcess(one('globalThis.process.exit(1);')) },
    { broken: 'it imports process', found: touchesProcess(one("import { exit } from 'node:process';")) },
    { broken: 'it has 250 lines', found: tooLong(one('a;\n'.repeat(250))) },
    { broken: 'it imports what is not a dependency', found: declared(one("import * as fc from 'fast-check';")) },
    {
      broken: 'it reads a folder outside the project',
      found: readsForeignFolder(one(`read('../${['sha', 'red'].join('')}/x');`)),
    },
    {
      broken: 'two files export one name',
      found: twoMeanings(
        new Map([
          ['src/poller/a.ts', 'export interface Step {}\nexport const a = 1;'],
          ['src/conditions/b.ts', 'export type { Step };\nconst a = 2;'],
        ]),
      ),
    },
    {
      broken: 'two rooms export one name, one of them out of a list',
      found: twoMeanings(
        new Map([
          ['src/node/a.ts', 'export const safe = 1;'],
          ['src/restart/a.ts', 'export const [safe, unsafe] = [1, 2];'],
        ]),
      ),
    },
    {
      broken: 'two import each other',
      found: cycles(
        new Map([
          ['src/a.ts', "import { b } from './b.ts';"],
          ['src/b.ts', "import { type A, a } from './a.ts';"],
        ]),
      ),
    },
    {
      broken: 'two import each other, one of them for a type',
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
    { fine: 'import.meta is not process', found: touchesProcess(one('export const a = import.meta.url;')) },
    { fine: 'a word is not process', found: touchesProcess(one("// process\nexport const a = { process: 'process' };")) },
    {
      fine: 'a name is passed on',
      found: twoMeanings(
        new Map([
          ['src/server/a.ts', "export { span } from '../snapshot/text.ts';\nexport type { Span } from '../snapshot/text.ts';"],
          ['src/snapshot/text.ts', 'export const span = 1;\nexport type Span = number;'],
        ]),
      ),
    },
    {
      fine: 'a schema and its type have one name',
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
    { fine: 'main may', found: touchesProcess(one('process.exit(1);', 'src/main.ts')) },
    { fine: 'one line less is short enough', found: tooLong(one('a;\n'.repeat(249))) },
  ])('but not when $fine', ({ found }) => {
    expect(found).toEqual([]);
  });
});
