// Generates docs/drills.md from the drill table.

import type { Drill } from '../../src/drills/drill.ts';
import { drills, undrilled } from '../../src/drills/drills.ts';
import { maxDelayRatio } from '../../src/drills/judge.ts';
import { expectedOf } from '../../src/drills/notified.ts';
import { pace } from '../../src/drills/pace.ts';
import { cell, code, table } from './markdown.ts';

const row = (drill: Drill): readonly string[] => {
  const { name, fault, alert, look } = drill;
  const notified =
    expectedOf(drill)
      .map((text) => text.replaceAll('Snowgauge', ''))
      .join('<br>') || 'none';
  return [code(name), cell(fault), `[${alert}](runbooks/${alert}.md)`, notified, cell(look)];
};

export const drillsDoc = (): string => `# Drills

Generated from the table in \`src/drills\` by \`npm run docs\`. Do not edit: \`npm run docs -- --check\` compares the two.

    snowgauge drill                    # the list
    snowgauge drill disk-low           # one
    snowgauge drill --all --jobs 4     # all of them, four at a time: about four minutes

A drill injects one fault into an embedded node. The exporter watches the node, a real Prometheus scrapes the exporter, and a real
Alertmanager sends notifications to the drill. The drill prints the fault, the expected alert and notifications, and where to look, and
afterwards

- **time to detect**: from the fault until \`/metrics\` of the exporter shows it. Allowed: one check interval plus 1 s, plus the check intervals
  that the exporter waits by its own rules (frozen: three check intervals without a run); the drill prints which;
- **time to alert**: from detection until the alert fires in Prometheus. Allowed: the alert's \`for\`, one scrape and three evaluations of
  the rules, plus the time that the alert's expression looks back;
- **time to notification**: from firing until Alertmanager has sent the first notification with the alert;
- **notifications**: each with its receiver and the alerts in it. Routing, grouping and inhibition are [the shipped ones](alerts.md#routing), except that
  Alertmanager waits ${pace.grouping} s for more alerts of a group. A notification that is missing, unexpected or has other alerts is a failure. Without
  Alertmanager, notifications are not checked;
- **unexpected alerts**: all other alerts that the fault does not explain. Each is a failure.

The rules are the shipped ones; time is compressed by their settings: the node checks itself every ${pace.interval} s, Prometheus scrapes every
${pace.scrape} s and evaluates every ${pace.evaluation} s, \`for\` is ${pace.pending} s for every alert that has one, and some drills shorten the windows of their alert. Times are
measured by the timestamps of Prometheus and the exporter. Scheduling delay of the machine (late timers, late or missed scrapes and
evaluations) is allowed on top. If a drill fails and the scheduling delay was more than ${maxDelayRatio * 100} % of the time, the drill is
**inconclusive**: run it alone, or on a less loaded machine.

With \`--output json\` each drill has \`detection\` and \`firing\`, both with \`tookSeconds\` and \`allowedSeconds\`, \`deliverySeconds\`, the
\`schedulingDelay\` until detection and in total (in seconds, and as a ratio of the time), and the list of its \`failures\`.

Prometheus (2.42 or later) is required, and Alertmanager (0.25 or later) is used if available: on the PATH, or set with \`--prometheus FILE\` and
\`--alertmanager FILE\`; in a clone \`bash .ci/tools/prometheus3.sh\` builds both if Go is installed. Each drill has its own database, directory and
ports, which are removed at its end; Ctrl-C stops all drills. The disk of the nodes is simulated: the free space of this machine does not matter.

| exit code | |
| --- | --- |
| 0 | all passed |
| 1 | an alert or a notification was late, missing or unexpected |
| 2 | an error in the arguments |
| 3 | Prometheus is missing, Prometheus or Alertmanager did not start, or a drill was inconclusive and none failed |
| 130 | interrupted |

${table(['drill', 'fault', 'alert', 'notifications', 'where to look'], drills.map(row))}

Not drilled: ${Object.entries(undrilled)
  .map(([alert, why]) => `[${alert}](runbooks/${alert}.md) (${why})`)
  .join('; ')}. The tests of the rules cover them.
`;
