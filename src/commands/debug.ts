// `snowgauge debug`: one poll of the exporter's own, with every step of the way to the node.

import { Command } from 'commander';
import type { Traced } from '../client/traced.ts';
import { targetFrom } from '../config/target.ts';
import { printableJson } from '../text.ts';
import { formatErrors } from '../yaml/parse.ts';
import { type AskFlags, askOptions, readAsking, timeoutOption } from './ask-options.ts';
import type { CommandContext } from './context.ts';
import { debugText } from './debug-text.ts';
import { debuggedOf } from './debugged.ts';
import { exitCodes, exitOf, ifStopped } from './exit-codes.ts';
import { askedConditions, optionsOf, pollOnce, unpolled } from './observe-node.ts';
import { withClient } from './obtain.ts';
import { conditionsJson } from './report-json.ts';
import { type RuleFlags, readRules, ruleOptions } from './rule-options.ts';
import { conditionLines, paintFor } from './terminal.ts';

type Flags = AskFlags & RuleFlags & { readonly json?: boolean };

const exits = `
Shows one poll as snowgauge run makes it: what the name resolves to, connections, TLS and the certificate, each request in the
order in which it was sent, and what was understood of its answer. No credential and no body is shown.

Exit codes, of healthy: 0 True, 1 False, 3 Unknown (no answer, no report, a tag that the node does not know); 2 an error in the
arguments, 130 stopped.`;

export const debugCommand = (context: CommandContext): Command =>
  ruleOptions(
    askOptions(
      new Command('debug')
        .description('trace one poll of a node: addresses, connections, TLS, each request and how its response was parsed')
        .argument('<url>', 'the node, such as http://127.0.0.1:9650'),
    ),
  )
    .addOption(timeoutOption())
    .option('--json', 'the same as --output json')
    .addHelpText('after', exits)
    .action((url: string, flags: Flags) => debug(url, flags, context));

const debug = async (url: string, flags: Flags, context: CommandContext): Promise<void> => {
  const asking = readAsking(url, flags, context.version);
  const rules = readRules(flags);
  if (asking.kind === 'invalid' || rules.kind === 'invalid') {
    const errors = [asking, rules].flatMap((one) => (one.kind === 'invalid' ? one.errors : []));
    context.stderr(formatErrors('snowgauge debug', errors));
    context.exit(exitCodes.usage);
    return;
  }
  const { indexes } = targetFrom().options;
  const options = { ...optionsOf(url, asking.value.tags, rules.value, { once: true }), indexes };
  const traced: Traced[] = [];
  const { now } = context;
  const target = await withClient(asking.value, context, (client) => pollOnce(unpolled(options, now()), client, now), {
    onTraced: (one) => traced.push(one),
  });
  if (ifStopped(context)) return;
  const { healthy, ready, live } = askedConditions(target.conditions, options);
  const conditions = { healthy, ready, live };
  const debugged = debuggedOf(
    url,
    target.state,
    // What was never sent has no order, and comes last.
    traced.sort((a, b) => (a.order || Number.MAX_VALUE) - (b.order || Number.MAX_VALUE)),
  );
  context.stdout(
    flags.json === true || flags.output === 'json'
      ? printableJson({ conditions: conditionsJson(conditions), ...debugged })
      : debugText(debugged, paintFor(context)) + conditionLines(conditions, paintFor(context)),
  );
  context.exit(exitOf[healthy.status]);
};
