// The table of methods binds both ends: a change that one of them does not follow does not compile, and the compiler names the
// place. Each row changes a copy of the sources in one or more places and compiles it, which takes a second or more.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shared } from '../architecture/import-table.ts';
import { runTool } from '../support/run-tool.ts';

const root = join(import.meta.dirname, '../..');
const parts = ['protocol', 'client', 'node', 'yaml', 'log.ts', ...shared];

/** A copy of both ends in its own folder. */
const copied = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-wire-'));
  mkdirSync(join(folder, 'src'));
  for (const part of parts) cpSync(join(root, 'src', part), join(folder, 'src', part), { recursive: true });
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
  return folder;
};

interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** The files in which the compiler reports errors. */
const faultsOf = async (folder: string, edits: readonly Edit[]): Promise<readonly string[]> => {
  const before = edits.map(({ file }) => readFileSync(join(folder, file), 'utf8'));
  try {
    for (const { file, from, to } of edits) {
      const text = readFileSync(join(folder, file), 'utf8');
      expect(text).toContain(from);
      writeFileSync(
        join(folder, file),
        text.replace(from, () => to),
      );
    }
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    // Several threads would each check much of the same code.
    const args = ['-p', folder, '--pretty', 'false', '--singleThreaded'];
    const said = await runTool(process.execPath, [tsc, ...args], { cwd: folder }).catch(String);
    return [...new Set([...said.matchAll(/^(src\/\S+\.ts)\(\d+,\d+\): error/gm)].map(([, file = '']) => file))].sort();
  } finally {
    edits.map(({ file }, at) => writeFileSync(join(folder, file), before[at] ?? ''));
  }
};

const table = 'src/protocol/methods.ts';
const isAccepted = "'index.isAccepted': index(";
const client = 'src/client/client.ts';
const nodeHealth = 'src/node/health/service.ts';
const nodeIndex = 'src/node/index/service.ts';

interface Row {
  readonly change: string;
  readonly edits: readonly Edit[];
  readonly faults: readonly string[];
}

export const rows: readonly Row[] = [
  {
    change: 'a method more, which the node does not serve,',
    edits: [{ file: table, from: isAccepted, to: `'index.getLength': index({ encoding }, container),\n  ${isAccepted}` }],
    faults: [nodeIndex],
  },
  {
    change: 'a method more, with its handler: the client asks it without a line of its own,',
    edits: [
      { file: table, from: isAccepted, to: `'index.getFirst': index({ encoding }, container),\n  ${isAccepted}` },
      {
        file: nodeIndex,
        from: "    'index.isAccepted':",
        to: "    'index.getFirst': orStoreError(({ encoding }) => container(0, encoding, nothingAccepted)),\n    'index.isAccepted':",
      },
      {
        file: client,
        from: 'const readerOf = ',
        to: "export const firstOf = (client: Client) => client.indexRpc('P/block', 'index.getFirst', {});\nconst readerOf = ",
      },
    ],
    faults: [],
  },
  {
    change: 'a GET more, which neither end knows,',
    edits: [
      { file: table, from: '  liveness: get(', to: "  startup: get('/ext/health/startup', healthReport),\n  liveness: get(" },
    ],
    faults: [client, nodeHealth],
  },
  {
    change: 'a service more, which the node does not route to,',
    edits: [
      { file: 'src/protocol/paths.ts', from: "info: '/ext/info',", to: "info: '/ext/info', admin: '/ext/admin'," },
      {
        file: table,
        from: isAccepted,
        to: `'admin.getNodeID': methodOf('admin')({}, z.object({ nodeID: z.string() })),\n  ${isAccepted}`,
      },
      {
        file: client,
        from: 'const readerOf = ',
        to: "export const nodeIdOf = (client: Client) => client.rpc('admin.getNodeID', {});\nconst readerOf = ",
      },
    ],
    faults: ['src/node/routes.ts'],
  },
  {
    change: 'a method of a service that it is not named after',
    edits: [{ file: table, from: isAccepted, to: "'health.isAccepted': index(" }],
    faults: [client, 'src/node/arguments.ts', nodeHealth, nodeIndex, table],
  },
  {
    change: 'a kind of parameter more, which the node cannot read,',
    edits: [{ file: table, from: 'readonly id: string;', to: 'readonly id: string;\n  readonly text: string;' }],
    faults: ['src/node/arguments.ts'],
  },
  {
    change: 'a parameter under another name',
    edits: [{ file: table, from: "{ index: 'uint64', encoding }", to: "{ number: 'uint64', encoding }" }],
    faults: [nodeIndex],
  },
  {
    change: 'a parameter of another kind',
    edits: [{ file: table, from: "{ index: 'uint64', encoding }", to: "{ index: 'id', encoding }" }],
    faults: [nodeIndex],
  },
  {
    change: "a member of a method's result under another name",
    edits: [{ file: table, from: 'isAccepted: z.boolean()', to: 'accepted: z.boolean()' }],
    faults: [nodeIndex],
  },
  {
    change: 'a member more in a report',
    edits: [
      {
        file: 'src/protocol/health.ts',
        from: 'checks, healthy: z.boolean()',
        to: 'checks, healthy: z.boolean(), since: z.string()',
      },
    ],
    faults: [nodeHealth],
  },
  {
    change: 'a member more in a check result',
    edits: [
      {
        file: 'src/protocol/health.ts',
        from: '  readonly duration: number;\n  readonly cont',
        to: '  readonly duration: number;\n  readonly runs: number;\n  readonly cont',
      },
    ],
    faults: [nodeHealth],
  },
  {
    change: 'a member of a validator under another name',
    edits: [
      {
        file: 'src/protocol/platform-wire.ts',
        from: 'readonly accruedDelegateeReward: string;',
        to: 'readonly accruedReward: string;',
      },
    ],
    faults: ['src/node/platform/rows.ts'],
  },
  {
    change: 'a client that leaves out a GET',
    edits: [{ file: client, from: "    liveness: get('liveness'),\n", to: '' }],
    faults: [client],
  },
  {
    change: 'a client that asks one GET for another whose answer has another shape',
    edits: [
      {
        file: table,
        from: 'liveness: get(healthPaths.liveness, healthReport)',
        to: 'liveness: get(healthPaths.liveness, z.object({ alive: z.boolean() }))',
      },
      { file: client, from: "liveness: get('liveness')", to: "liveness: get('health')" },
    ],
    faults: [client, nodeHealth],
  },
  {
    change: 'a node that leaves out a method',
    edits: [{ file: nodeHealth, from: "    'health.liveness': reporting('liveness'),\n", to: '' }],
    faults: [nodeHealth],
  },
  {
    change: 'a node that answers a container where a range is asked for',
    edits: [
      {
        file: nodeIndex,
        from: 'orStoreError(getContainerRange)',
        to: 'orStoreError(({ encoding }) => container(0, encoding, notFound))',
      },
    ],
    faults: [nodeIndex],
  },
];

/** One row for each end and one for the table, and the unchanged copy compiles. */
export const someRows: readonly Row[] = [
  { change: 'no change', edits: [], faults: [] },
  ...rows.filter(({ change }) => /^a (?:GET more|client that leaves out|node that leaves out)/.test(change)),
];

export const wireSuite = (own: readonly Row[]): void => {
  let folder = '';
  beforeAll(() => {
    folder = copied();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(own)('$change has compiler errors in: $faults', async ({ edits, faults }) => {
    expect(await faultsOf(folder, edits)).toEqual([...faults].sort());
  });
};
