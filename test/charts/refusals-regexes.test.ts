// Regular expressions in values that only Prometheus compiles: the chart rejects those that it would reject.

import { expect, test } from 'vitest';
import { loadRegexFault, ofWholeValue } from '../../src/config/regex.ts';
import { helmTemplate } from '../support/chart.ts';
import { describeWith } from '../support/tools.ts';

const remedy = 'is not an RE2 expression, and Prometheus would reject it: write a special character in brackets, such as [(]';

const refused: readonly { readonly of: string; readonly values: object; readonly said: string }[] = [
  {
    of: 'a relabeling of a monitor',
    values: {
      monitoring: {
        relabelings: [
          { action: 'labeldrop', regex: 'pod' },
          { action: 'labeldrop', regex: 'a(b' },
        ],
      },
    },
    said: `- monitoring.relabelings[1].regex: "a(b" ${remedy}`,
  },
  {
    of: 'a relabeling of metrics',
    values: { monitoring: { metricRelabelings: [{ sourceLabels: ['__name__'], regex: 'go_[', action: 'drop' }] } },
    said: `- monitoring.metricRelabelings[0].regex: "go_[" ${remedy}`,
  },
  {
    of: 'a relabeling of probed metrics',
    values: { probe: { metricRelabelings: [{ regex: '*', action: 'labeldrop' }] } },
    said: `- probe.metricRelabelings[0].regex: "*" ${remedy}`,
  },
  ...['sidecarUrls', 'nodeChecks', 'expectedStatefulSets'].map((setting) => ({
    of: `the setting ${setting} of the rules`,
    values: { prometheusRule: { enabled: true, settings: { [setting]: 'a)(b' } } },
    said: `- prometheusRule.settings.${setting}: "a)(b" ${remedy}`,
  })),
  ...['selector', 'nodeMatch', 'nodeSelector'].map((setting) => ({
    of: `a matcher of the setting ${setting} of the rules`,
    values: { prometheusRule: { enabled: true, settings: { [setting]: 'job="(", a!="[", b=~"ok.*", c!~"x\\\\.(y"' } } },
    said: `- prometheusRule.settings.${setting}: "x\\\\.(y" ${remedy}`,
  })),
];

/** Valid and invalid ones, also such that are valid only between the anchors of a relabeling, or only without them. */
const expressions = [
  ...[
    '',
    'a|b',
    '(?i)A.*',
    '[[:alpha:]]+',
    '\\d{1,3}\\.x',
    '\\pL',
    '(?P<n>a)',
    'a)(b',
    '\\Qa',
    'a{1000}',
    '\\',
    'a\\',
    '[(]',
    '|',
    '$^',
  ],
  ...[
    '(',
    'a(b',
    ')',
    '[',
    '[b-a]',
    '*',
    '+',
    'a**',
    'a{1001}',
    '(?=a)',
    '(?<!a)',
    '\\1',
    '\\c',
    '(?P<n',
    '\\pX',
    '(?z)',
    'a(?s',
  ],
];

describeWith(['helm'], 'the chart', (helm = '') => {
  const saidOf = async (values: object): Promise<readonly string[]> =>
    (await helmTemplate(helm, { values: { mode: 'fleet', ...values } })).stderr
      .split('\n')
      .filter((line) => line.startsWith('- '));

  test.each(refused)('rejects an invalid expression in $of', async ({ values, said }) => {
    expect(await saidOf(values)).toEqual([said]);
  });

  test('does not read the settings of rules that it does not create, nor octal escapes', async () => {
    expect(await saidOf({ prometheusRule: { settings: { nodeChecks: '(' } } })).toEqual([]);
    const settings = { selector: 'a=~"\\101(", b="\\"(", c=~"\\"x=~\\"[(]", d=~"\\u0061\\x2e"' };
    expect(await saidOf({ prometheusRule: { enabled: true, settings } })).toEqual([]);
  });

  test('rejects the same expressions of relabelings and of matchers as snowgauge', async () => {
    const faultOf = await loadRegexFault();
    const wrong = (of: (regex: string) => string) => expressions.filter((regex) => faultOf(of(regex)) !== undefined);
    const relabelings = expressions.map((regex) => ({ action: 'labelkeep', regex }));
    const selector = expressions.map((regex, at) => `l${at}=~${JSON.stringify(regex)}`).join(',');
    const said = await saidOf({ monitoring: { relabelings }, prometheusRule: { enabled: true, settings: { selector } } });
    const quotedIn = (name: string) =>
      said.filter((line) => line.startsWith(`- ${name}`)).map((line) => JSON.parse(/"(?:[^"\\]|\\.)*"/.exec(line)?.[0] ?? ''));
    expect(quotedIn('monitoring.relabelings')).toEqual(wrong(ofWholeValue));
    expect(quotedIn('prometheusRule.settings.selector')).toEqual(wrong((regex) => regex));
    expect(wrong(ofWholeValue)).not.toEqual(wrong((regex) => regex));
  });
});
