// `snowgauge demo`: an embedded node with another fault every minute, and an exporter for it.

import { setMaxListeners } from 'node:events';
import { Command } from 'commander';
import { targetFrom } from '../config/target.ts';
import { greatest } from '../lists.ts';
import { openNode, type RunningNode } from '../node/node.ts';
import { defaultNodeOptions } from '../node/options.ts';
import { parseScenario, type Scenario } from '../node/scenario.ts';
import { primaryNetworkId } from '../protocol/id.ts';
import { type ConfigError, formatErrors } from '../yaml/parse.ts';
import { refuse } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { demoScenario, demoStory, demoSubnets } from './demo-scenario.ts';
import { listenOption, readListen } from './listen-option.ts';
import { addLogOptions, withLog } from './log-options.ts';
import { type Serving, serve } from './serve.ts';

interface Options {
  readonly listen?: string;
  readonly nodePort: string;
  readonly printScenario?: boolean;
}

const checkSeconds = 5;

export const demoCommand = (context: CommandContext): Command => {
  const command = new Command('demo')
    .addOption(listenOption('127.0.0.1:9652'))
    .option('--node-port <port>', 'port of the embedded node; 0 for any free port', '9650')
    .option('--print-scenario', 'print the scenario of the demo and exit');
  return addLogOptions(command).action((options: Options) => {
    const errors: ConfigError[] = [];
    const logged = withLog(command, context, errors);
    return errors.length > 0 ? refuse(context, 'snowgauge demo', errors) : demo(options, logged);
  });
};

const demo = async (options: Options, context: CommandContext): Promise<void> => {
  if (options.printScenario === true) {
    context.stdout(demoScenario);
    return;
  }
  const errors: ConfigError[] = [];
  const listen = readListen(options.listen, { host: '127.0.0.1', port: 9652 }, errors);
  if (!/^\d{1,5}$/.test(options.nodePort) || Number(options.nodePort) > 65_535)
    errors.push({ path: '--node-port', message: `${JSON.stringify(options.nodePort)} is not a port: write 0 to 65535` });
  if (errors.length > 0) return refuse(context, 'snowgauge demo', errors);
  const parsed = await parseScenario(demoScenario);
  if (parsed.kind === 'invalid') throw new Error(formatErrors('the scenario of the demo', parsed.errors));

  // If either of the two fails, both end.
  const stop = new AbortController();
  const both = { ...context, signal: AbortSignal.any([context.signal, stop.signal]) };
  setMaxListeners(0, both.signal);
  const opened = await openNode(
    {
      ...defaultNodeOptions,
      httpPort: Number(options.nodePort),
      healthCheckFrequency: checkSeconds,
      indexEnabled: true,
      seed: 7,
    },
    { ...both, now: context.wallClock ?? context.now, steadyNow: context.now, scenario: parsed.value },
  );
  if (opened.kind === 'refused') {
    const message = `${opened.why}: choose another port for the node with --node-port (0 for any free port)`;
    return refuse(context, 'snowgauge demo', [{ path: '', message }]);
  }
  const { node } = opened;
  const serving = await serve({ source: 'the demo', listen, targets: [targetOf(node)] }, both);
  if (serving.kind === 'invalid') {
    await node.close();
    return refuse(context, 'snowgauge demo', serving.errors);
  }
  context.stdout(banner(node, serving, parsed.value));
  try {
    await Promise.race([serving.finished, node.closed]);
  } finally {
    stop.abort();
    await Promise.all([serving.finished, node.close()]);
  }
  context.stdout('The demo has ended.\n');
};

const targetOf = ({ url }: RunningNode) =>
  targetFrom({
    url,
    healthCheckFrequency: `${checkSeconds}s`,
    timeout: '2s',
    tagSets: [
      { name: 'all' },
      { name: 'primary', tags: [primaryNetworkId] },
      { name: 'alpha', tags: [demoSubnets.alpha] },
      { name: 'beta', tags: [demoSubnets.beta] },
    ],
    indexes: ['P/block', 'X/block', 'C/block', 'X/tx', 'X/vtx'],
  });

const clock = (seconds: number): string => `${Math.floor(seconds / 60)}:${(seconds % 60).toString().padStart(2, '0')}`;

const banner = (node: RunningNode, { url }: Serving, { faults }: Scenario): string => {
  const every = greatest(faults.map((fault) => fault.every ?? 0));
  const story = faults.map(
    (fault) => `  ${clock(fault.at)} to ${clock(fault.at + (fault.for ?? 0))}  ${demoStory[fault.fault] ?? fault.fault}`,
  );
  return `
  snowgauge watches an embedded node that checks its health every ${checkSeconds} s.

  status page   ${url}/
  metrics       ${url}/metrics
  JSON          ${url}/api/v1/status
  the node      ${node.url}/ext/health

What will happen, in minutes from now, and again every ${Math.round(every / 60)} minutes:
${story.join('\n')}

Ctrl-C ends both. Other ports: --listen 9752 --node-port 9751 (after npm start, put -- before them).

`;
};
