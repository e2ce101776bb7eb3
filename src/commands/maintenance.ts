// `snowgauge maintenance`: starts, ends and lists maintenance windows through the API of a running snowgauge.

import { Command, Option } from 'commander';
import * as z from 'zod/mini';
import { longestWindow } from '../maintenance/window.ts';
import { parseInstant } from '../protocol/time.ts';
import { answeredRows } from '../report/answered-rows.ts';
import { printable, printableJson, span } from '../text.ts';
import type { ConfigError } from '../yaml/parse.ts';
import { readDuration, refuse } from './arguments.ts';
import { askSnowgauge, type SnowgaugeRequest, sayUnanswered } from './ask-snowgauge.ts';
import { type ClientFlags, clientFlags, readClient, timeoutOption } from './client-flags.ts';
import type { CommandContext } from './context.ts';
import { exitCodes, ifStopped } from './exit-codes.ts';

interface Flags extends ClientFlags {
  readonly url: string;
  readonly tokenFile?: string;
  readonly target?: string;
}

interface StartFlags extends Flags {
  readonly for: string;
  readonly reason: string;
}

const exits = `
While a window is open, only the alerts on identity, disagreeing replicas, rewards, staking and L1 balances fire for its targets. Probes
and conditions do not change.

Exit codes: 0 done, 1 there was no window to end, 2 usage error or not allowed, 3 no response, 130 interrupted.`;

export const maintenanceCommand = (context: CommandContext): Command =>
  new Command('maintenance')
    .addHelpText('afterAll', exits)
    .addCommand(
      withFlags(new Command('start'))
        .description('start a window now; replaces the one started before for the same target')
        .requiredOption('--for <duration>', 'how long, such as 2h; 24h at most')
        .requiredOption('--reason <text>', 'why: shown on the page, in the API and in the event history')
        .option('--target <name>', 'only this target (default: all)')
        .action((flags: StartFlags) => start(flags, context)),
    )
    .addCommand(
      withFlags(new Command('end'))
        .description('end windows started by this command or the API')
        .option('--target <name>', 'only the window of this target (default: all of them)')
        .action((flags: Flags) => end(flags, context)),
    )
    .addCommand(
      withFlags(new Command('list'))
        .description('list open and planned windows')
        .action((flags: Flags) => list(flags, context)),
    );

/** The same variable as for the setting, so that no flag is needed in snowgauge's own environment. */
const tokenVariable = 'SNOWGAUGE_MAINTENANCE_TOKEN_FILE';

const withFlags = (command: Command): Command =>
  clientFlags(
    command
      .option('--url <url>', 'URL of a running snowgauge', 'http://127.0.0.1:9652')
      .addOption(
        new Option('--token-file <file>', `file with the bearer token of maintenance.tokenFile (${tokenVariable})`).conflicts([
          'bearerFile',
          'basicFile',
        ]),
      )
      .addOption(timeoutOption('5s')),
  );

/** Enough for a thousand windows with the longest reasons. */
const maxAnswer = '4MiB';

const instant = z.string().check(z.refine((text) => parseInstant(text) !== undefined));
const window = z.object({
  targets: z.exactOptional(answeredRows(z.string())),
  start: instant,
  end: instant,
  reason: z.string(),
  source: z.string(),
});
const listed = z.object({ windows: answeredRows(window) });
const started = z.object({ window, saved: z.boolean(), note: z.exactOptional(z.string()) });
const ended = z.object({ ended: answeredRows(window), saved: z.boolean(), windows: answeredRows(window) });

type Listed = z.output<typeof window>;

const start = async (flags: StartFlags, context: CommandContext): Promise<void> => {
  const { target, reason } = flags;
  const errors: ConfigError[] = [];
  readDuration('--for', flags.for, 1, longestWindow, errors);
  if (errors.length > 0) return refuse(context, 'snowgauge maintenance start', errors);
  const body = { ...(target !== undefined && { target }), for: flags.for, reason };
  const answer = await ask('start', flags, { method: 'PUT', body, shape: started }, context);
  if (answer === undefined) return;
  if (!answer.saved) context.stderr('not saved (no stateDir, or the write failed): a restart of snowgauge ends this window\n');
  if (answer.note !== undefined) context.stderr(`${printable(answer.note, 500)}\n`);
  // Shown as of its start: the request took some time, and the start is rounded to whole seconds.
  const line = lineOf(answer.window, Date.parse(answer.window.start) / 1000);
  context.stdout(flags.output === 'json' ? printableJson(answer) : line);
};

const end = async (flags: Flags, context: CommandContext): Promise<void> => {
  const query = flags.target === undefined ? '' : `?${new URLSearchParams({ target: flags.target })}`;
  const answer = await ask('end', flags, { method: 'DELETE', query, shape: ended }, context);
  if (answer === undefined) return;
  if (!answer.saved) context.stderr('not saved (the write failed): a restart of snowgauge may bring ended windows back\n');
  const count = answer.ended.length;
  const left = answer.windows.length === 0 ? '' : 'still open or planned:\n';
  const text = `${count === 0 ? 'no window to end' : `ended ${count}`}\n${left}${linesOf(answer.windows, context)}`;
  context.stdout(flags.output === 'json' ? printableJson(answer) : text);
  if (count === 0) context.exit(exitCodes.no);
};

const list = async (flags: Flags, context: CommandContext): Promise<void> => {
  const answer = await ask('list', flags, { shape: listed }, context);
  if (answer === undefined) return;
  const text = answer.windows.length === 0 ? 'no maintenance windows\n' : linesOf(answer.windows, context);
  context.stdout(flags.output === 'json' ? printableJson(answer) : text);
};

/** Returns undefined after printing an error and setting the exit code. */
const ask = async <S extends z.core.$ZodType>(
  command: 'start' | 'end' | 'list',
  flags: Flags,
  request: Omit<SnowgaugeRequest<S>, 'path'> & { readonly query?: string },
  context: CommandContext,
): Promise<z.output<S> | undefined> => {
  const errors: ConfigError[] = [];
  const client = readClient(flags.url, { ...flags, ...tokenOf(flags, context), maxBodySize: maxAnswer }, context.version, errors);
  if (errors.length > 0) {
    refuse(context, `snowgauge maintenance ${command}`, errors.map(inFlags(flags)));
    return undefined;
  }
  const answer = await askSnowgauge(client, { ...request, path: `/api/v1/maintenance${request.query ?? ''}` }, context.signal);
  if (ifStopped(context)) return undefined;
  if (answer.kind === 'ok') return answer.value;
  sayUnanswered(context, `maintenance ${command}`, flags.url, answer);
  return undefined;
};

/** The token is sent as a bearer token. The variable is only used if no flag gives credentials. */
const tokenOf = ({ bearerFile, basicFile, tokenFile }: Flags, { env }: CommandContext): Pick<ClientFlags, 'bearerFile'> => {
  const file = bearerFile ?? tokenFile ?? (basicFile === undefined ? env[tokenVariable] : undefined);
  return file === undefined || file === '' ? {} : { bearerFile: file };
};

const inFlags =
  ({ bearerFile }: Flags) =>
  ({ path, message }: ConfigError): ConfigError => {
    if (path === 'URL') return { path: '--url', message };
    return { path: path === '--bearer-file' && bearerFile === undefined ? '--token-file' : path, message };
  };

const linesOf = (windows: readonly Listed[], { now, wallClock = now }: CommandContext): string =>
  windows.map((one) => lineOf(one, wallClock())).join('');

/** For example `validator-1 until 2026-11-20T14:00:00.000Z (2 h left), api: upgrade`. */
const lineOf = ({ targets, start, end, reason, source }: Listed, at: number): string => {
  const [from, to] = [Date.parse(start) / 1000, Date.parse(end) / 1000];
  const when = from > at ? `from ${start} until ${end}` : `until ${end} (${span(Math.max(0, to - at))} left)`;
  return `${printable(`${targets?.join(', ') ?? 'all targets'} ${when}, ${source}: ${reason}`, 600)}\n`;
};
