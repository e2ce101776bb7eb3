// `snowgauge top`: the fleet of a running snowgauge, live in a terminal, or once as text or JSON.

import { Command } from 'commander';
import type { ClientOptions } from '../client/options.ts';
import { shownUrl } from '../protocol/node-url.ts';
import { type FleetFilter, filterFault, fleetText } from '../report/fleet.ts';
import { type FleetAnswer, fleetAnswer } from '../report/fleet-answer.ts';
import { printableJson } from '../text.ts';
import type { ConfigError } from '../yaml/parse.ts';
import { readDuration, refuse, repeated } from './arguments.ts';
import { askSnowgauge, type SnowgaugeAnswer, sayUnanswered } from './ask-snowgauge.ts';
import { type ClientFlags, clientFlags, readClient, timeoutOption } from './client-flags.ts';
import type { CommandContext } from './context.ts';
import { ifStopped } from './exit-codes.ts';
import { paintFor } from './terminal.ts';
import { watchFleet } from './top-screen.ts';

interface Flags extends ClientFlags {
  readonly once: boolean;
  readonly interval: string;
  readonly network?: string;
  readonly subnet?: string;
  readonly label: readonly string[];
  readonly by?: string;
}

const help = `
Keys: s sort order (worst first, name, latest change), / filter by name, h hide healthy targets, g group by subnet or network,
arrow and page keys scroll, q quit. Without a terminal, or with --once or --output json, it prints once and exits.

Exit codes: 0 done, 2 usage error, 3 no response, 130 interrupted.`;

export const topCommand = (context: CommandContext): Command =>
  clientFlags(
    new Command('top')
      .argument('[url]', 'URL of a running snowgauge', 'http://127.0.0.1:9652')
      .option('--once', 'print once and exit', false)
      .option('--interval <duration>', 'refresh interval', '2s')
      .option('--network <network>', 'only targets of this network')
      .option('--subnet <name>', 'only targets with this tag set, by its name or a tag (a subnet id)')
      .option('--label <label>', 'only targets with this label, as NAME=VALUE; repeatable', repeated, [])
      .option('--by <name>', 'group by subnet, network or the name of a label')
      .addOption(timeoutOption('5s')),
  )
    .addHelpText('after', help)
    .action((url: string, flags: Flags) => top(url, flags, context));

/** Enough for a thousand targets with long names and messages. */
const maxAnswer = '16MiB';
const shortestInterval = 0.5;

const top = async (url: string, flags: Flags, context: CommandContext): Promise<void> => {
  const errors: ConfigError[] = [];
  const interval = readDuration('--interval', flags.interval, shortestInterval, 3600, errors);
  for (const label of flags.label)
    if (!/^[^=]+=/.test(label)) errors.push({ path: '--label', message: `${JSON.stringify(label)} must be written NAME=VALUE` });
  const options = readClient(url, { ...flags, maxBodySize: maxAnswer }, context.version, errors);
  if (errors.length > 0) return refuse(context, 'snowgauge top', errors);
  const ask = asking(options, flags);
  const terminal = flags.once || flags.output === 'json' ? undefined : context.terminal?.();
  if (terminal !== undefined) {
    const refusal = await watchFleet(ask, { interval, by: flags.by ?? 'subnet', url: shownUrl(url) }, terminal, context);
    if (refusal !== undefined) sayUnanswered(context, 'top', url, refusal);
    return;
  }
  const asked = await ask(flags.by, context.signal);
  if (ifStopped(context)) return;
  if (asked.kind === 'failed') return sayUnanswered(context, 'top', url, asked);
  const shown = { sort: 'worst', filter: '', offset: 0 } as const;
  const text = `${fleetText(asked.value, shown, paintFor(context)).lines.join('\n')}\n`;
  context.stdout(flags.output === 'json' ? printableJson(asked.body) : text);
};

/**
 * Sends one request with the options of the command line. If no target matches, it sends one more for each of several options that filter, and
 * another one for each that no target matches, to list the possible values.
 */
const asking = (options: ClientOptions, flags: Flags) => {
  const query = new URLSearchParams();
  for (const name of ['network', 'subnet'] as const) if (flags[name] !== undefined) query.set(name, flags[name]);
  for (const label of flags.label) query.append('label', label);
  const request = (asked: URLSearchParams, signal: AbortSignal) =>
    askSnowgauge(options, { path: `/api/v1/fleet?${asked}`, shape: fleetAnswer }, signal);
  return async (by: string | undefined, signal: AbortSignal): Promise<SnowgaugeAnswer<FleetAnswer>> => {
    if (by !== undefined) query.set('by', by);
    const answer = await request(query, signal);
    if (answer.kind === 'failed') return answer;
    const { total, matched } = answer.value;
    if (matched > 0 || total === 0 || flags.output === 'json') return answer;
    const unmatched: string[] = [];
    const groups = new Map<string, FleetAnswer['groups']>();
    const filters = filtersOf(flags);
    for (const filter of filters) {
      if (filters.length > 1) {
        const alone = await request(queryOf(filter), signal);
        if (alone.kind === 'failed') return alone;
        if (alone.value.matched > 0) continue;
      }
      if (!groups.has(filter.by)) {
        const all = await request(new URLSearchParams({ by: filter.by, limit: '1' }), signal);
        // Refused: no target has the label.
        if (all.kind === 'failed' && !all.isRefused) return all;
        groups.set(filter.by, all.kind === 'ok' ? all.value.groups : []);
      }
      unmatched.push(filterFault(filter, groups.get(filter.by) ?? []));
    }
    return { ...answer, value: { ...answer.value, unmatched } };
  };
};

/** The groups do not show whether any target matches: a response has only the worst of them. */
const queryOf = ({ by, isLabel, value }: FleetFilter): URLSearchParams =>
  new URLSearchParams({ [isLabel ? 'label' : by]: isLabel ? `${by}=${value}` : value, limit: '1' });

const filtersOf = ({ network, subnet, label }: Flags): readonly FleetFilter[] => [
  ...(network ? [{ by: 'network', isLabel: false, value: network }] : []),
  ...(subnet ? [{ by: 'subnet', isLabel: false, value: subnet }] : []),
  ...label.map((text) => {
    const at = text.indexOf('=');
    return { by: text.slice(0, at), isLabel: true, value: text.slice(at + 1) };
  }),
];
