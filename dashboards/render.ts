// Converts tables of panels to Grafana's JSON with the builders of its Foundation SDK, which enforce the schema.

import * as common from '@grafana/grafana-foundation-sdk/common';
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import * as prometheus from '@grafana/grafana-foundation-sdk/prometheus';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import * as statetimeline from '@grafana/grafana-foundation-sdk/statetimeline';
import * as table from '@grafana/grafana-foundation-sdk/table';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';
import { thresholds } from '../src/rules/thresholds.ts';
import type { Board, Column, Mark, Panel, Query, Steps, Variable, Words } from './board.ts';

const datasource = { type: 'prometheus', uid: `\${datasource}` };

// By default the builders put links and annotations into a menu, which nobody opens in an incident.
const outOfTheMenu = (key: string, value: unknown): unknown =>
  key === 'placement' && value === dashboard.DashboardLinkPlacement.InControlsMenu ? undefined : value;

/** The text of the dashboard file. */
export const boardJson = (board: Board): string => `${JSON.stringify(dashboardOf(board), outOfTheMenu, 2)}\n`;

export const dashboardOf = (board: Board): dashboard.Dashboard => {
  const builder = new dashboard.DashboardBuilder(board.title)
    .uid(board.uid)
    .description(board.description)
    .tags(['snowgauge'])
    .timezone('browser')
    .editable()
    .tooltip(dashboard.DashboardCursorSync.Crosshair)
    .time({ from: 'now-3h', to: 'now' })
    .refresh('30s')
    .variables([
      new dashboard.DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'),
      ...board.variables.map(variable),
      new dashboard.TextBoxVariableBuilder('runbooks').label('Runbooks at').defaultValue(thresholds.runbooks.value),
    ])
    .annotations(board.marks.map(annotation))
    .link(
      new dashboard.DashboardLinkBuilder('Snowgauge')
        .type(dashboard.DashboardLinkType.Dashboards)
        .tags(['snowgauge'])
        .includeVars(true)
        .keepTime(true),
    );
  let id = 0;
  for (const section of board.sections) {
    id += 1;
    const row = new dashboard.RowBuilder(section.title).id(id);
    builder.withRow(section.repeat === undefined ? row : row.repeat(section.repeat));
    for (const panel of section.panels) {
      id += 1;
      builder.withPanel(panelOf(panel).id(id));
    }
  }
  return builder.build();
};

const variable = ({ name, label, from, of, many, single, listed, worst }: Variable): dashboard.QueryVariableBuilder => {
  const query = worst === undefined ? `label_values(${from}, ${of})` : `query_result(sort_desc(${worst}))`;
  const builder = new dashboard.QueryVariableBuilder(name)
    .label(label)
    .datasource(datasource)
    .query({ qryType: worst === undefined ? 1 : 3, query, refId: 'PrometheusVariableQueryEditor-VariableQuery' })
    .definition(query)
    .refresh(dashboard.VariableRefresh.OnTimeRangeChanged)
    .sort(worst === undefined ? dashboard.VariableSort.AlphabeticalAsc : dashboard.VariableSort.Disabled);
  if (worst !== undefined) return builder.regex(`/[{,]${of}="([^"]*)"/`);
  if (single === true) return builder;
  // Also matches series without the label: outside Kubernetes there are no namespaces and pods.
  const everything = listed === true ? builder.includeAll(true) : builder.includeAll(true).allValue('.*');
  const all = everything.current({ selected: true, text: 'All', value: '$__all' });
  return many === true ? all.multi(true) : all;
};

const annotation = ({ name, expr, title, text, colour }: Mark): dashboard.AnnotationQueryBuilder =>
  new dashboard.AnnotationQueryBuilder()
    .name(name)
    .datasource(datasource)
    .enable(true)
    .iconColor(colour)
    .expr(expr)
    .step('60s')
    .titleFormat(title)
    .textFormat(text);

const letter = (at: number): string => String.fromCharCode(65 + at);

const target = (panel: Panel, query: Query, at: number): prometheus.DataqueryBuilder => {
  const builder = new prometheus.DataqueryBuilder().datasource(datasource).refId(letter(at)).expr(query.expr);
  if (query.legend !== undefined) builder.legendFormat(query.legend);
  if (panel.view === 'table') return builder.instant().format(prometheus.PromQueryFormat.Table);
  return panel.view === 'number' ? builder.instant() : builder.range();
};

const steps = (given: Steps): dashboard.ThresholdsConfigBuilder =>
  new dashboard.ThresholdsConfigBuilder()
    .mode(dashboard.ThresholdsMode.Absolute)
    .steps(given.map(([value, color]) => ({ value, color })));

const mappings = (words: Words): dashboard.ValueMapping[] => [
  {
    type: dashboard.MappingType.ValueToText,
    options: Object.fromEntries(Object.entries(words).map(([value, [text, color]], index) => [value, { text, color, index }])),
  },
];

type Builder = stat.PanelBuilder | table.PanelBuilder | statetimeline.PanelBuilder | timeseries.PanelBuilder;

const panelOf = (panel: Panel): Builder => {
  const builder = viewOf(panel)
    .title(panel.title)
    .description(panel.description)
    .datasource(datasource)
    .span(panel.width)
    .height(panel.height);
  return builder.targets(panel.queries.map((query, at) => target(panel, query, at)));
};

const viewOf = (panel: Panel): Builder => {
  switch (panel.view) {
    case 'number':
      return numberOf(panel);
    case 'table':
      return tableOf(panel);
    case 'states':
      return new statetimeline.PanelBuilder()
        .mappings(mappings(panel.words))
        .colorScheme(new dashboard.FieldColorBuilder().mode(dashboard.FieldColorModeId.Thresholds))
        .thresholds(steps([[null, 'text']]))
        .showValue(common.VisibilityMode.Never)
        .mergeValues(true)
        .rowHeight(0.8)
        .fillOpacity(80)
        .lineWidth(0)
        .legend(
          new common.VizLegendOptionsBuilder()
            .showLegend(true)
            .displayMode(common.LegendDisplayMode.List)
            .placement(common.LegendPlacement.Bottom),
        );
    case 'lines':
      return linesOf(panel);
    default:
      return panel satisfies never;
  }
};

const numberOf = ({ unit, steps: given, words }: Extract<Panel, { view: 'number' }>): stat.PanelBuilder => {
  const builder = new stat.PanelBuilder()
    .graphMode(common.BigValueGraphMode.None)
    .colorMode(common.BigValueColorMode.Background)
    .reduceOptions(new common.ReduceDataOptionsBuilder().calcs(['lastNotNull']))
    .noValue('none')
    .thresholds(steps(given ?? [[null, 'text']]));
  if (unit !== undefined) builder.unit(unit);
  return words === undefined ? builder : builder.mappings(mappings(words));
};

const linesOf = (panel: Extract<Panel, { view: 'lines' }>): timeseries.PanelBuilder => {
  const builder = new timeseries.PanelBuilder()
    .unit(panel.unit)
    .lineWidth(1)
    .fillOpacity(0)
    .showPoints(common.VisibilityMode.Never)
    // Gaps stay gaps, so that old values do not look current.
    .spanNulls(false)
    .tooltip(new common.VizTooltipOptionsBuilder().mode(common.TooltipDisplayMode.Multi).sort(common.SortOrder.Descending));
  if (panel.min !== undefined) builder.min(panel.min);
  if (panel.max !== undefined) builder.max(panel.max);
  if (panel.steps === undefined) return builder;
  return builder
    .thresholds(steps(panel.steps))
    .thresholdsStyle(new common.GraphThresholdsStyleConfigBuilder().mode(common.GraphThresholdsStyleMode.Dashed));
};

/** The field name of a column before it is renamed. */
const fieldOf = ({ of }: Column, panel: Panel): string =>
  !/^[A-Z]$/.test(of) ? of : panel.queries.length === 1 ? 'Value' : `Value #${of}`;

const tableOf = (panel: Extract<Panel, { view: 'table' }>): table.PanelBuilder => {
  const fields = panel.columns.map((column) => fieldOf(column, panel));
  const names = panel.columns.map((column, at) => [fields[at] ?? '', column.name] as const);
  const builder = new table.PanelBuilder()
    .withTransformation({ id: 'merge', options: {} })
    .withTransformation({ id: 'filterFieldsByName', options: { include: { names: fields } } })
    .withTransformation({
      id: 'organize',
      options: {
        indexByName: Object.fromEntries(fields.map((field, at) => [field, at])),
        renameByName: Object.fromEntries(names),
      },
    })
    .sortBy([new common.TableSortByFieldStateBuilder().displayName(panel.worst).desc(true)])
    .filterable(true)
    .noValue('');
  for (const column of panel.columns) builder.overrideByName(column.name, properties(column));
  return builder;
};

const coloured = { id: 'custom.cellOptions', value: { type: 'color-background', mode: 'basic' } };

const properties = ({ unit, steps: given, words, link }: Column): dashboard.DynamicConfigValue[] => [
  ...(unit === undefined ? [] : [{ id: 'unit', value: unit }]),
  ...(given === undefined ? [] : [{ id: 'thresholds', value: steps(given).build() }, coloured]),
  ...(words === undefined ? [] : [{ id: 'mappings', value: mappings(words) }, coloured]),
  ...(link === undefined ? [] : [{ id: 'links', value: [link] }]),
];
