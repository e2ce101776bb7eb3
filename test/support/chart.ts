// Renders the chart with helm and given values.

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

/** The Kubernetes versions that the chart is checked against. */
export const kubernetesVersions = ['1.29', '1.30', '1.31', '1.32', '1.33', '1.34', '1.35', '1.36'] as const;

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Does not reject on a non-zero exit code, because tests check it. */
export const execute = (file: string, args: readonly string[], cwd = root): Promise<Ended> =>
  new Promise((resolve) => {
    // With more threads, helm's garbage collection takes a sixth more CPU.
    const env = { ...process.env, GOMAXPROCS: '1' };
    execFile(file, args, { cwd, env, maxBuffer: 64 * 1024 * 1024, timeout: 280_000 }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr });
    });
  });

/** A manifest or a nested part of it. */
export interface Manifest {
  readonly [field: string]: unknown;
}

export const documentsOf = (text: string): readonly Manifest[] =>
  parseAllDocuments(text)
    .map((document): unknown => {
      // For example a duplicate key.
      if (document.errors[0] !== undefined) throw document.errors[0];
      return document.toJS();
    })
    .filter((value): value is Manifest => typeof value === 'object' && value !== null);

/** A temporary folder, removed after `use`. */
export const inFolder = async <T>(use: (folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'snowgauge-chart-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
};

export interface Rendering {
  /** Values files. */
  readonly files?: readonly string[];
  /** Values that override those of the files. */
  readonly values?: unknown;
  readonly kubernetes?: string;
  readonly release?: string;
  readonly namespace?: string;
  readonly chart?: string;
}

/** Runs `helm template`; returns its output and exit code. */
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

/** Groups rows that set no value differently, because the schema reports all errors at once. */
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

/** One row per run: the templates report all errors at once, and another row's values must not cause the rejection. */
export const expectRefusal = async (helm: string, { values, said, kubernetes }: Refused): Promise<void> => {
  const { code, stderr } = await helmTemplate(helm, { values: { mode: 'demo', ...values }, ...(kubernetes && { kubernetes }) });
  expect(code).toBe(1);
  for (const words of said) expect(stderr).toContain(words);
};

/** Runs `helm template` with the values of a group; returns the error. */
export const refusalOf = async (helm: string, rows: readonly { readonly values: object }[], values: object = {}) => {
  const { code, stderr } = await helmTemplate(helm, {
    values: Object.assign({}, values, ...rows.map((row) => row.values)),
  });
  expect(code).toBe(1);
  expect(stderr).toContain("values don't meet the specifications of the schema(s)");
  return stderr;
};

/** The rendered objects; throws if helm rejects the values. */
export const objectsOf = async (helm: string, rendering: Rendering = {}): Promise<readonly Manifest[]> => {
  const { code, stdout, stderr } = await helmTemplate(helm, rendering);
  if (code !== 0) throw new Error(stderr);
  return documentsOf(stdout);
};

/** Builds the example of a parent chart, as its user would. */
export const withParent = <T>(helm: string, use: (parent: string) => Promise<T>): Promise<T> =>
  inFolder(async (folder) => use(await buildParent(helm, folder)));

/** Builds the parent chart in an existing folder. */
export const buildParent = async (helm: string, folder: string): Promise<string> => {
  await cp(join(root, 'charts'), join(folder, 'charts'), { recursive: true });
  const parent = join(folder, 'charts/snowgauge/examples/validator');
  const built = await execute(helm, ['dependency', 'build', parent]);
  if (built.code !== 0) throw new Error(built.stderr);
  return parent;
};

/** The value at a path such as `spec.template.spec.containers.0`. */
export const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((within, key) => {
    if (Array.isArray(within)) return within[Number(key)];
    return typeof within === 'object' && within !== null ? Object.entries(within).find(([name]) => name === key)?.[1] : undefined;
  }, value);

/** Such as `ConfigMap test-config`, for comparing lists. */
export const named = (object: Manifest): string => `${String(object.kind)} ${String(at(object, 'metadata.name'))}`;

/** The string entries of a map, such as `data` of a ConfigMap or labels. */
export const texts = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(typeof value === 'object' && value !== null ? value : {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
