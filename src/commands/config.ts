// `snowgauge config`: is a file right, and what may stand in it.

import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { configJsonSchema } from '../config/json-schema.ts';
import { type Loaded, type LoadOptions, loadConfig } from '../config/load.ts';
import type { TargetOptions } from '../config/target.ts';
import { formatErrors } from '../yaml/parse.ts';
import type { CommandContext } from './context.ts';
import { refuse } from './exit-codes.ts';
import { readText } from './read-text.ts';

/** The file named, or where `snowgauge run` looks. */
export const findConfig = (file: string | undefined, env: CommandContext['env']): Promise<Loaded> =>
  loadConfig({ ...(file !== undefined && { file }), env, ...files });

/** As `findConfig`. Errors are printed on stderr, and the exit code is 2. */
const readConfig = async (file: string | undefined, context: CommandContext): Promise<Loaded> => {
  const loaded = await findConfig(file, context.env);
  if (loaded.kind === 'invalid') refuse(context, formatErrors(loaded.source, loaded.errors));
  return loaded;
};

const files: Pick<LoadOptions, 'readFile' | 'fileExists'> = { readFile: readText, fileExists: existsSync };

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

const check = async (file: string, context: CommandContext): Promise<void> => {
  const loaded = await readConfig(file, context);
  if (loaded.kind === 'invalid') return;
  const { targets } = loaded.value;
  const tagSets = targets.reduce((sum, { options }) => sum + options.tagSets.length, 0);
  const parts = [
    counted(targets.length, 'target'),
    counted(tagSets, 'tag set'),
    ...indexesText(targets.map(({ options }) => options.indexes)),
  ];
  context.stdout(`${loaded.source}: ok, ${parts.join(', ')}\n`);
};

const indexesText = (indexes: readonly TargetOptions['indexes'][]): readonly string[] => {
  const listed = indexes.flatMap((one) => (one === 'auto' ? [] : one)).length;
  const auto = indexes.filter((one) => one === 'auto').length;
  return [
    ...(listed > 0 || auto === 0 ? [listed === 1 ? '1 index' : `${listed} indexes`] : []),
    ...(auto > 0 ? [`indexes auto for ${counted(auto, 'target')}`] : []),
  ];
};

export const configCommand = (context: CommandContext): Command =>
  new Command('config')
    .description('check a configuration file, or print its JSON Schema')
    .addCommand(
      new Command('check')
        .description('print every error in a file and exit with 2, or ok and 0; uses the same variables as run')
        .argument('<file>', 'the YAML file')
        .action((file: string) => check(file, context)),
    )
    .addCommand(
      new Command('schema')
        .description('print the JSON Schema (draft-07) of a configuration file')
        .action(() => context.stdout(`${JSON.stringify(configJsonSchema(), null, 2)}\n`)),
    );
