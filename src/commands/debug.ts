// `snowgauge debug`: runs one poll, and shows every step of each request to the node.

import { Command } from 'commander';
import { shownUrl } from '../protocol/node-url.ts';
import { indexNames } from '../protocol/paths.ts';
import { debugText } from '../report/debug-text.ts';
import { debuggedOf, type KeptTrace, keptTrace } from '../report/debugged.ts';
import { conditionText } from '../report/paint.ts';
import { printableJson } from '../text.ts';
import type { ConfigError } from '../yaml/parse.ts';
import { refuse } from './arguments.ts';
import { readClient, readTags, type TagFlags, tagOptions, timeoutOption, withClient } from './client-flags.ts';
import type { CommandContext } from './context.ts';
import { exitOf, ifStopped } from './exit-codes.ts';
import { askedConditions, optionsOf, pollOnce, unpolled } from './observe-node.ts';
import { conditionsJson } from './report-json.ts';
import { type RuleFlags, readRules, ruleOptions } from './rule-flags.ts';
import { paintFor } from './terminal.ts';

type Flags = TagFlags & RuleFlags & { readonly json?: boolean };

const exits = `
Shows one poll as snowgauge run makes it: name resolution, connections, TLS and certificates, and each request in the order
sent, with its parsed response. Credentials and bodies are not shown.

Exit codes, for condition Healthy: 0 True, 1 False, 3 Unknown (no response, no report, a tag that the node does not know);
2 usage error, 130 interrupted.`;

export const debugCommand = (context: CommandContext): Command =>
  ruleOptions(tagOptions(new Command('debug').argument('<url>', 'the node, such as http://127.0.0.1:9650')))
    .addOption(timeoutOption('5s'))
    .option('--json', 'the same as --output json')
    .addHelpText('after', exits)
    .action((url: string, flags: Flags) => debug(url, flags, context));

const debug = async (url: string, flags: Flags, context: CommandContext): Promise<void> => {
  const errors: ConfigError[] = [];
  const tags = readTags(flags, errors);
  const rules = readRules(flags, errors);
  const client = readClient(url, flags, context.version, errors);
  if (errors.length > 0) return refuse(context, 'snowgauge debug', errors);
  // With `auto`, an index that is off would not be shown.
  const options = { ...optionsOf(url, tags, rules, { once: true, info: true }), indexes: indexNames };
  const traced: KeptTrace[] = [];
  const { now } = context;
  const target = await withClient(client, context, (asking) => pollOnce(unpolled(options, now()), asking, now), {
    onTraced: (one) => traced.push(keptTrace(one)),
  });
  if (ifStopped(context)) return;
  const conditions = askedConditions(target.conditions, options);
  const debugged = debuggedOf(shownUrl(url), target.state, traced);
  const paint = paintFor(context);
  context.stdout(
    flags.json === true || flags.output === 'json'
      ? printableJson({ conditions: conditionsJson(conditions), ...debugged })
      : debugText(debugged, paint) + conditionText(conditions, paint),
  );
  context.exit(exitOf[conditions.healthy.status]);
};
