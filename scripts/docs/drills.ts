// docs/drills.md, from the table of drills.

import type { Drill } from '../../src/drills/drill.ts';
import { drills, undrilled } from '../../src/drills/drills.ts';
import { maxStolen } from '../../src/drills/judge.ts';
import { expectedOf } from '../../src/drills/notified.ts';
import { pace } from '../../src/drills/pace.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');

const row = (drill: Drill): string => {
  const { name, breaks, alert, look } = drill;
  const notified =
    expectedOf(drill)
      .map((text) => text.replaceAll('Snowgauge', ''))
      .join('<br>') || 'none';
  return `| \`${name}\` | ${cell(breaks)} | [${alert}](runbooks/${alert}.md) | ${notified} | ${cell(look)} |`;
};

export const drillsDoc = (): string => `# Drills

Generated from the table in \`src/drills\` by \`npm run docs\`. Do not edit: \`npm run docs -- --check\` compares it with it.

    snowgauge drill                    # the list
    snowgauge drill disk-low           # one
    snowgauge drill --all --jobs 4     # all of them, four at a time: about four minutes

A drill injects one fault into an embedded node. The exporter watches the node, a real Prometheus scrapes the exporter, and a real
Alertmanager sends notifications to the drill. The drill prints the fault, the expected alert and notifications, and where to look, and
afterwards

- **time to detect**: from the fault to the exporter's own page. Allowed: one check interval and a second, and where the exporter must wait by
  its own rules (frozen: three check intervals without a run) those intervals; the drill says which;
- **time to alert**: from there until Prometheus fired. Allowed: the alert's \`for\`, two scrapes and one evaluation of the rules; and
  where the alert's expression looks back over a time, that time;
- **time to notification**: from there until Alertmanager has sent the first notification with the alert;
- **notifications**: each with its receiver and the alerts in it. Routing, grouping and inhibition are [the shipped ones](alerts.md#routing), but that
  Alertmanager waits ${pace.grouping} s for more alerts of a group. One that is missing, one too many or one with other alerts is a failure. Without
  Alertmanager they are not judged;
- **unexpected alerts**: every other alert that the fault does not explain. Any is a failure.

The rules are the shipped ones; time is compressed by their settings: the node checks itself every ${pace.interval} s, Prometheus scrapes every
${pace.scrape} s and evaluates every ${pace.evaluation} s, \`for\` is ${pace.pending} s for every alert that has one, and some drills shorten the windows of their alert. Times are
judged by the timestamps that Prometheus and the exporter give. The time that this machine stole (timers that were late, scrapes and
evaluations that were late or left out) is allowed on top, and is in the JSON as \`stolen\`. If something is wrong and the machine
stole more than ${maxStolen * 100} % of the time, the drill is **inconclusive**: run it alone, or on a machine with less load.

A Prometheus (2.42 or later) is required, an Alertmanager (0.25 or later) is used if there is one: on the PATH, or named with \`--prometheus FILE\` and
\`--alertmanager FILE\`; in a clone \`bash .ci/tools/prometheus3.sh\` builds both where Go is installed. Each drill has a store, a folder and
ports of its own, which go with it; Ctrl-C ends all. The nodes' disk is a simulated one: what else fills this machine's is no part of it.

| exit code | |
| --- | --- |
| 0 | all passed |
| 1 | an alert or a notification came late, not at all, or unexpected |
| 2 | an error in the arguments |
| 3 | no Prometheus, a Prometheus or an Alertmanager that did not start, or nothing worse than inconclusive |
| 130 | stopped |

| drill | what breaks | alert | notifications | where to look |
| --- | --- | --- | --- | --- |
${drills.map(row).join('\n')}

Not drilled: ${Object.entries(undrilled)
  .map(([alert, why]) => `[${alert}](runbooks/${alert}.md) (${why})`)
  .join('; ')}. In the tests of the rules they fire.
`;
