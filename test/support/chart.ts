// The chart as its users have it: rendered by helm, with their values.

import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { parseAllDocuments } from 'yaml';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const chart = join(root, 'charts', 'snowgauge');

/** The versions of Kubernetes that the chart is checked against. */
export const kubernetesVersions = ['1.29', '1.30', '1.31', '1.32', '1.33', '1.34', '1.35', '1.36'] as const;

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Never throws for an exit code: that is what is looked at. */
export const execute = (file: string, args: readonly string[], cwd = root): Promise<Ended> =>
  new Promise((resolve) => {
    // On more, helm takes a sixth more processor time, for its garbage.
    const env = { ...process.env, GOMAXPROCS: '1' };
    execFile(file, args, { cwd, env, maxBuffer: 64 * 1024 * 1024, timeout: 280_000 }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr });
    });
  });

/** A part of a manifest, as deep as it goes. */
export interface Manifest {
  readonly [field: string]: unknown;
}

export const documentsOf = (text: string): readonly Manifest[] =>
  parseAllDocuments(text)
    .map((document): unknown => {
      // A key that is there twice, for one.
      if (document.errors[0] !== undefined) throw document.errors[0];
      return document.toJS();
    })
    .filter((value): value is Manifest => typeof value === 'object' && value !== null);

/** A folder that is gone after `use`. */
export const inFolder = async <T>(use: (folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'snowgauge-chart-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
};

export interface Rendering {
  /** Files of values. */
  readonly files?: readonly string[];
  /** After the files. */
  readonly values?: unknown;
  readonly kubernetes?: string;
  readonly release?: string;
  readonly namespace?: string;
  readonly chart?: string;
}

/** `helm template`: what it prints, and how it ended. */
export const helmTemplate = (helm: string, rendering: Rendering = {}): Promise<Ended> =>
  inFolder(async (folder) => {
    const { files = [], values = {}, kubernetes = '1.34', release = 'test', namespace = 'watch' } = rendering;
    const own = join(folder, 'values.json');
    await writeFile(own, JSON.stringify(values));
    const given = [...files, own].flatMap((file) => ['--values', file]);
    return execute(helm, [
      'template',
      release,
      rendering.chart ?? chart,
      ...['--namespace', namespace, '--kube-version', kubernetes, ...given],
    ]);
  });

const isBeside = (values: object, others: object): boolean => {
  const set = new Map(Object.entries(values));
  return Object.entries(others).every(([key, value]) => !set.has(key) || isDeepStrictEqual(set.get(key), value));
};

interface Valued {
  readonly values: object;
}

/** Rows in groups of which no two set a value of the chart differently: its schema tells all that is wrong at once. */
export const together = <Row extends Valued>(rows: readonly Row[]): readonly (readonly Row[])[] => {
  const groups: Row[][] = [];
  for (const row of rows) {
    const group = groups.find((own) => own.every((one) => isBeside(one.values, row.values)));
    if (group === undefined) groups.push([row]);
    else group.push(row);
  }
  return groups;
};

export interface Refused {
  readonly error: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly said: readonly string[];
  readonly kubernetes?: string;
}

/** Each by itself: the templates tell all that is wrong at once, but one row must not be refused for another's values. */
export const expectRefusal = async (helm: string, { values, said, kubernetes }: Refused): Promise<void> => {
  const { code, stderr } = await helmTemplate(helm, { values: { mode: 'demo', ...values }, ...(kubernetes && { kubernetes }) });
  expect(code).toBe(1);
  for (const words of said) expect(stderr).toContain(words);
};

/** `helm template` of a group of rows: what it says. */
export const refusalOf = async (helm: string, rows: readonly { readonly values: object }[], values: object = {}) => {
  const { code, stderr } = await helmTemplate(helm, {
    values: Object.assign({}, values, ...rows.map((row) => row.values)),
  });
  expect(code).toBe(1);
  expect(stderr).toContain("values don't meet the specifications of the schema(s)");
  return stderr;
};

/** The objects that helm makes of the values; throws where it refuses. */
export const objectsOf = async (helm: string, rendering: Rendering = {}): Promise<readonly Manifest[]> => {
  const { code, stdout, stderr } = await helmTemplate(helm, rendering);
  if (code !== 0) throw new Error(stderr);
  return documentsOf(stdout);
};

/** The example of a chart that depends on ours, as its user would build it. */
export const withParent = <T>(helm: string, use: (parent: string) => Promise<T>): Promise<T> =>
  inFolder(async (folder) => use(await buildParent(helm, folder)));

/** In a folder that is there; the chart's own. */
export const buildParent = async (helm: string, folder: string): Promise<string> => {
  await cp(join(root, 'charts'), join(folder, 'charts'), { recursive: true });
  const parent = join(folder, 'charts/snowgauge/examples/validator');
  const built = await execute(helm, ['dependency', 'build', parent]);
  if (built.code !== 0) throw new Error(built.stderr);
  return parent;
};

/** What stands at a path such as `spec.template.spec.containers.0`. */
export const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((within, key) => {
    if (Array.isArray(within)) return within[Number(key)];
    return typeof within === 'object' && within !== null ? Object.entries(within).find(([name]) => name === key)?.[1] : undefined;
  }, value);

/** `ConfigMap test-config`, for lists that are compared. */
export const named = (object: Manifest): string => `${String(object.kind)} ${String(at(object, 'metadata.name'))}`;

/** Those entries of a map whose values are texts: `data` of a ConfigMap, labels. */
export const texts = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(typeof value === 'object' && value !== null ? value : {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
