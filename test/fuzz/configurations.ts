// Mutated configurations: each is rejected with errors that show no secret, or its targets can be watched.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is what a file says

import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { parseConfig } from '../../src/config/load.ts';
import { formatErrors } from '../../src/yaml/parse.ts';
import { parseExposition } from '../support/exposition-parser.ts';
import { contributed } from '../support/metrics.ts';
import { hostileInstants, hostileNumbers, hostileTexts, hostileValues } from './hostile.ts';
import { bytewise, pick, type Step, steps } from './mutations.ts';
import { clientAnswering, knownOf, polled, type World } from './world.ts';

const folder = new URL('../fixtures/config/', import.meta.url);

const texts: readonly string[] = ['good/', 'bad/'].flatMap((part) =>
  readdirSync(new URL(part, folder))
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => readFileSync(new URL(part + file, folder), 'latin1')),
);

/** A secret from the environment. Errors may quote text of the file itself. */
const secret = 'environment-7731';
const env = { SECRET: secret, NODE_NAME: 'a', SNOWGAUGE_URL: 'http://127.0.0.1:9650', SNOWGAUGE_LISTEN_PORT: '0' };

/** A scalar of a YAML file: hostile text, quoted or not, or another value. */
const scalar = (choice: number): string => {
  const said = pick(hostileTexts, choice) ?? '';
  const all = [
    `"${said}"`,
    said,
    pick(hostileNumbers, choice),
    pick(hostileInstants, choice),
    pick(hostileValues, choice),
    pick(
      ['${SECRET}', '"${SECRET}${SECRET}"', '${NONE}', '&a [*a]', '*b', '!!js/function a', '!tag x', '|\n  a', '<<: *a', '~'],
      choice,
    ),
    pick(
      ['5s', '1h', '-1s', '1ns', '99999h', '8MiB', '1e3KiB', 'auto', '[auto]', 'http://u:p@h:1/x', 'https://[::1]:9650'],
      choice,
    ),
  ];
  return Buffer.from(pick(all, choice >> 6) ?? '').toString('latin1');
};

type Lines = readonly string[];

const byLine: readonly ((lines: Lines, at: number, choice: number, other: Lines) => Lines)[] = [
  (lines, at, choice) =>
    lines.with(
      at,
      (lines[at] ?? '').replace(/:.*$/, () => `: ${scalar(choice)}`),
    ),
  (lines, at, choice) =>
    lines.with(
      at,
      (lines[at] ?? '').replace(/:.*$/, () => `: ${scalar(choice)}`),
    ),
  (lines, at, choice) =>
    lines.with(
      at,
      (lines[at] ?? '').replace(/- .*$/, () => `- ${scalar(choice)}`),
    ),
  (lines, at) => lines.toSpliced(at, 1),
  (lines, at) => lines.toSpliced(at, 0, lines[at] ?? ''),
  (lines, at, choice) => lines.toSpliced(at, 0, ...lines.slice(choice % lines.length, (choice % lines.length) + (choice % 9))),
  (lines, at, choice) => lines.with(at, `${' '.repeat(choice % 7)}${lines[at]}`),
  (lines, at) => lines.with(at, (lines[at] ?? '').replace(/^ {1,2}/, '')),
  (lines, at, choice) =>
    lines.with(
      at,
      (lines[at] ?? '').replace(/[\w.]+(?=:)/, () => scalar(choice % 64)),
    ),
  (lines, at, choice, other) => lines.toSpliced(at, 0, ...other.slice(choice % other.length, (choice % other.length) + 8)),
  (lines, at, choice) => lines.toSpliced(at, 0, ...Array.from({ length: choice % 300 }, (_, place) => `  k${place}: *a`)),
];

export interface DrawnConfiguration {
  readonly base: number;
  readonly steps: readonly Step[];
}

export const drawnConfigurations: fc.Arbitrary<DrawnConfiguration> = fc.record({ base: fc.nat(0xff), steps: steps(5) });

/** Half of them are mutations of valid configurations. */
export const configurationOf = ({ base, steps: made }: DrawnConfiguration): string =>
  made.reduce(
    (text, [mutator, place, choice]) => {
      if (mutator % 5 === 0) return pick(bytewise, mutator >> 3)?.(text, place, choice, texts) ?? text;
      const lines = text.split('\n');
      const other = (pick(texts, choice >> 4) ?? '').split('\n');
      return pick(byLine, mutator >> 3)?.(lines, place % lines.length, choice, other).join('\n') ?? text;
    },
    pick(base % 2 === 0 ? texts.slice(0, 4) : texts, base >> 1) ?? '',
  );

export const playConfiguration = async ({ honest }: World, text: string) => {
  const features = new Set<string>();
  const parsed = await parseConfig(Buffer.from(text, 'latin1').toString(), env);
  if (parsed.kind === 'invalid') {
    const said = formatErrors('file', parsed.errors);
    if (parsed.errors.length === 0 || said.includes(secret)) throw new Error(`refused so: ${JSON.stringify(said.slice(0, 500))}`);
    for (const { message } of parsed.errors.slice(0, 20)) features.add(message.replace(/"[^"]*"|[\d.]+|:.*/gs, '').slice(0, 30));
    return { answered: 1, features, sizes: { errors: said.length } };
  }
  features.add('good');
  // Polls each target with honest responses: the page must be able to encode its name and labels.
  for (const { options } of parsed.value.targets.slice(0, 3)) {
    const known = knownOf(options);
    const client = clientAnswering(
      known.target.state,
      (key) => honest.get(key),
      () => known.at,
    );
    const { known: after, faults } = await polled(known, client, known.at);
    for (const { error } of faults) throw error;
    parseExposition(await contributed(after.target, after.at), 'text');
  }
  return { answered: 1, features, sizes: { errors: 0 } };
};
