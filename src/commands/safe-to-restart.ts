// `snowgauge safe-to-restart`: whether a validator may be taken down now, for how long, and at what cost. Queries a running snowgauge, or
// polls the nodes itself.

import { Command } from 'commander';
import { addAll } from '../lists.ts';
import { shownUrl } from '../protocol/node-url.ts';
import { restartShown, restartText } from '../report/restart.ts';
import type { RestartResult } from '../restart/reason.ts';
import { createRestartAnswers, longestDowntime, shortestDowntime } from '../server/safe-to-restart.ts';
import { printableJson } from '../text.ts';
import type { ConfigError } from '../yaml/parse.ts';
import { readDuration, refuse, repeated } from './arguments.ts';
import { askSnowgauge, sayUnanswered } from './ask-snowgauge.ts';
import { type ClientFlags, clientFlags, defaultSizes, readClients, timeoutOption } from './client-flags.ts';
import type { CommandContext } from './context.ts';
import { exitCodes, ifStopped } from './exit-codes.ts';
import { observeNodes } from './observe-nodes.ts';
import { type RuleFlags, readRules, ruleOptions } from './rule-flags.ts';
import { paintFor } from './terminal.ts';

interface Flags extends ClientFlags, RuleFlags {
  readonly url: string;
  readonly target: readonly string[];
  readonly tagSet: readonly string[];
  readonly for: string;
}

interface Given extends Flags {
  /** Names of the options that are on the command line. */
  readonly given: ReadonlySet<string>;
}

const help = `
With URLs, it polls these nodes itself; --target names the one to restart. Without URLs, it queries the snowgauge at --url, which
knows all targets and their maintenance windows.

Exit codes: 0 safe, 1 not safe, 2 usage error, 3 unknown (such as no response), 130 interrupted. With several targets, the worst result counts.`;

export const safeToRestartCommand = (context: CommandContext): Command =>
  ruleOptions(
    clientFlags(
      new Command('safe-to-restart')
        .argument('[urls...]', 'nodes to poll, such as http://127.0.0.1:9650 (default: query a running snowgauge)')
        .option('--url <url>', 'URL of a running snowgauge', 'http://127.0.0.1:9652')
        .option('--target <name>', 'only this target, or this one of the URLs; repeatable (default: all)', repeated, [])
        .option('--tag-set <name>', 'only targets with this tag set of a running snowgauge; repeatable', repeated, [])
        .option('--for <duration>', 'expected downtime', '5m')
        .option('--max-body-size <size>', `with URLs: maximum size of a response (default: ${defaultSizes})`)
        .addOption(timeoutOption('5s')),
    ),
  )
    .addHelpText('after', help)
    .action((urls: readonly string[], flags: Flags, command: Command) => {
      const given = new Set(Object.keys(flags).filter((name) => command.getOptionValueSource(name) === 'cli'));
      return safeToRestart(urls.map(bare), { ...flags, target: flags.target.map(bare), given }, context);
    });

/** Removes trailing slashes, so that a URL with and without them is the same node. Target names have none. */
const bare = (url: string): string => url.replace(/\/+$/, '');

/** Enough for a thousand targets with long messages. */
const maxAnswer = '16MiB';

const safeToRestart = async (urls: readonly string[], flags: Given, context: CommandContext): Promise<void> => {
  const errors: ConfigError[] = [];
  const seconds = readDuration('--for', flags.for, shortestDowntime, longestDowntime, errors);
  const rules = readRules(flags, errors);
  const sized = urls.length > 0 ? flags : { ...flags, maxBodySize: maxAnswer };
  const asked = urls.length === 0 ? [flags.url] : urls;
  const clients = readClients(asked, sized, context.version, errors);
  addAll(errors, urls.length > 0 ? errorsWithUrls(urls, flags) : errorsWithoutUrls(flags));
  const named = urls.length > 0 ? errors : errors.map((one) => (one.path === 'URL' ? { ...one, path: '--url' } : one));
  if (named.length > 0) return refuse(context, 'snowgauge safe-to-restart', named);
  const names = namesOf(urls);
  const [client] = clients;
  const answered =
    urls.length > 0 || client === undefined
      ? await judged(
          await observeNodes([...new Map(clients.map((one) => [one.baseUrl, one])).values()], names, rules, context),
          flags.target.map((url) => names.get(url) ?? url),
          seconds,
          context,
        )
      : await askSnowgauge(client, { path: `/api/v1/safe-to-restart?${queryOf(flags)}`, shape: restartShown }, context.signal);
  if (ifStopped(context)) return;
  if (answered.kind === 'failed') return sayUnanswered(context, 'safe-to-restart', flags.url, answered);
  context.stdout(flags.output === 'json' ? printableJson(answered.body) : restartText(answered.value, paintFor(context)));
  context.exit(exits[answered.value.result]);
};

const exits = { safe: exitCodes.ok, unsafe: exitCodes.no, unknown: exitCodes.unknown } as const satisfies Record<
  RestartResult,
  number
>;

const withUrls = 'cannot be combined with URLs';

const errorsWithUrls = (urls: readonly string[], { target, tagSet, given }: Given): readonly ConfigError[] => [
  ...target.flatMap((name) => (urls.includes(name) ? [] : [{ path: '--target', message: 'is not one of the URLs' }])),
  ...(tagSet.length > 0 ? [{ path: '--tag-set', message: withUrls }] : []),
  ...(given.has('url') ? [{ path: '--url', message: withUrls }] : []),
];

const errorsWithoutUrls = ({ given }: Given): readonly ConfigError[] =>
  Object.entries({
    ignoreCheck: '--ignore-check',
    ignoreReason: '--ignore-reason',
    healthCheckFrequency: '--health-check-frequency',
    maxBodySize: '--max-body-size',
  })
    .filter(([name]) => given.has(name))
    .map(([, path]) => ({ path, message: 'requires URLs: a running snowgauge has its own configuration' }));

/** Names of the nodes in the output. Nodes with equal names get the number of their URL on the command line. */
const namesOf = (urls: readonly string[]): ReadonlyMap<string, string> => {
  const nodes = [...new Set(urls)];
  const shown = nodes.map((url) => shownUrl(url));
  const isShared = (name: string): boolean => shown.indexOf(name) !== shown.lastIndexOf(name);
  const numbered = (name: string, url: string): string => (isShared(name) ? `${name} (${urls.indexOf(url) + 1})` : name);
  return new Map(nodes.map((url) => [url, numbered(shownUrl(url), url)]));
};

const judged = async (
  targets: Parameters<ReturnType<typeof createRestartAnswers>>[0],
  target: readonly string[],
  seconds: number,
  { now, wallClock = now }: CommandContext,
) => {
  const asked = { ...(target.length > 0 && { targets: new Set(target) }), seconds };
  const present = { now: now(), wallOffset: wallClock() - now() };
  const from = { by: 'command', targets: targets.size } as const;
  const value = await createRestartAnswers()(targets, asked, present, from);
  return { kind: 'ok' as const, value, body: value };
};

const queryOf = (flags: Flags): URLSearchParams => {
  const query = new URLSearchParams({ for: flags.for });
  for (const name of flags.target) query.append('target', name);
  for (const name of flags.tagSet) query.append('tagSet', name);
  return query;
};
