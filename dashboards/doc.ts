// Generates docs/dashboards.md from the tables.

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

- **Import** the files of \`deploy/grafana\`, or provision them as \`deploy/grafana/provisioning\` does, into a folder named Snowgauge with
  the uid \`snowgauge\`; the chart provides them as a ConfigMap for Grafana's sidecar (\`dashboards.enabled\`).
- Their uids do not change, because alerts link to them. \`snowgauge rules --set grafana=https://grafana.example\` sets the URL prefix of the links.
- Some panels query the recording rules (\`snowgauge:…\`) and \`ALERTS\`: the rules of \`deploy/prometheus\` must be loaded.
- The variable \`runbooks\` is the URL prefix of the links from alerts to their runbooks: those of this release, or your mirror of \`docs/runbooks\`.
- Labels that your scrape does not add (\`cluster\`, \`namespace\`, \`pod\`) match at All. \`network\` narrows the list of nodes.
- The dashboard of a node opens on the worst node: pods and nodes are sorted by state.
- Annotations on every graph show when checks began to fail or to pass, and when nodes restarted, at scrape intervals of up to two minutes.
- Grafana derives the window of rates from the **Scrape interval** of its data source, 15 s by default. Set it if yours is longer: at one minute,
  panels with rates are empty otherwise.
- The panels of cAdvisor and kube-state-metrics are empty if neither is scraped, and for nodes in other pods than their exporter.

A test runs every query of every panel against a real Prometheus. The dashboards have not been viewed in a Grafana yet. For the
exporter's own page see [docs/page.md](page.md).

${Object.entries(boards).map(section).join('\n')}
## All of it at once, with Docker

    docker compose -f deploy/compose.yaml up --build

starts the embedded node with the demo's faults, the exporter, Prometheus with the rules, Alertmanager with the shipped routing, a page
with the notifications, and Grafana with data source and dashboards. Alerts are pending for 10 s, so that the demo's faults, which last 45 s,
cause notifications. Everything listens on 127.0.0.1: 9652 the status page, 9090 Prometheus, 9093 Alertmanager, 9094 the notifications, 3000 Grafana. Without Docker, \`npm start\` is the node and the exporter.

This file has not been run by a Docker engine yet. A test validates it with the loader of Docker Compose, and the files that it mounts with \`promtool check
config\`, \`amtool check-config\` and snowgauge itself; the versions of its images are pinned.
`;
