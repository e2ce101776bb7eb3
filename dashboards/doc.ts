// docs/dashboards.md, from the tables.

import type { Board } from './board.ts';
import { boards } from './boards.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');

const section = ([file, { title, description, uid, variables, sections }]: readonly [string, Board]): string => `## ${title}

${description} \`deploy/grafana/${file}.json\`, uid \`${uid}\`; variables: ${['datasource', ...variables.map(({ name }) => name), 'runbooks'].map((name) => `\`${name}\``).join(', ')}.

| panel | |
| --- | --- |
${sections.flatMap(({ panels }) => panels.map((panel) => `| ${cell(panel.title)} | ${cell(panel.description)} |`)).join('\n')}
`;

export const dashboardsDoc = (): string => `# Dashboards

Generated from the tables in \`dashboards/\` by \`npm run docs\`. Do not edit: \`npm run docs -- --check\` compares it with them.

Seven dashboards for Grafana 11 or later, built only with its own panels. The worst nodes come first, tables show why, and state timelines show
since when. A gap in a timeline is a time without a report.

- **Import** the files of \`deploy/grafana\`, or provision them as \`deploy/grafana/provisioning\` does, into a folder named Snowgauge of
  uid \`snowgauge\`; the chart brings them as a ConfigMap for Grafana's sidecar (\`dashboards.enabled\`).
- Their uids stay: alerts link to them. \`snowgauge rules --set grafana=https://grafana.example\` gives the links their beginning.
- Some panels ask the recording rules (\`snowgauge:…\`) and \`ALERTS\`: the rules of \`deploy/prometheus\` must be loaded.
- The variable \`runbooks\` is the beginning of the links from alerts to their runbooks: those of this release, or your mirror of \`docs/runbooks\`.
- Labels that your scrape does not add (\`cluster\`, \`namespace\`, \`pod\`) match at All. \`network\` narrows the list of nodes.
- The page of a node opens on the worst: pods and nodes are sorted by what is true of them.
- Over every graph: when checks began to fail and to pass, and when nodes were restarted, at scrape intervals of up to two minutes.
- The panels of cAdvisor and kube-state-metrics are empty where neither is scraped.

Every query of every panel is asked of a real Prometheus by a test; the pages themselves have not been looked at in a Grafana. What
the exporter's own page looks like is in [docs/page.md](page.md).

${Object.entries(boards).map(section).join('\n')}
## All of it at once, with Docker

    docker compose -f deploy/compose.yaml up --build

starts the embedded node with the demo's faults, the exporter, Prometheus with the rules, Alertmanager with the shipped routing, a page
of what it sends, and Grafana with data source and dashboards. Alerts are pending for 10 s, so that the demo's faults, which last 45 s,
are notified of. Everything listens on 127.0.0.1: 9652 the status page, 9090 Prometheus, 9093 Alertmanager, 9094 the notifications, 3000 Grafana. Without Docker, \`npm start\` is the node and the exporter.

No Docker engine has run this file yet. It is read by the loader of Docker Compose in a test, the files that it mounts by \`promtool check
config\`, \`amtool check-config\` and by snowgauge itself; the versions of its images are pinned.
`;
