// The section of docs/metrics.md on how facts of a node and tag sets are brought together. test/rules asks promtool each of its joins.

export const joinsDoc = `## Facts and tag sets: five joins

A fact of a node stands on the page once, without a tag set; \`snowgauge_tag_set_check_info\` says which checks count for which tag
set. A join brings the two together: many series on the side of the tag sets, one on the side of the facts, matched on the exporter,
the node and the check. The labels of \`targets[].labels\` stay.

Does each check of a subnet pass?

\`\`\`promql
snowgauge_tag_set_check_info{tag_set="my-l1"}
  * on (job, instance, target, check) group_left ()
snowgauge_check_healthy
\`\`\`

Which checks fail for which tag sets, and why?

\`\`\`promql
snowgauge_tag_set_check_info
  * on (job, instance, target, check) group_left (reason)
snowgauge_check_failure_reason
\`\`\`

For how long has each tag set had a failing check?

\`\`\`promql
max by (job, instance, target, tag_set) (
  snowgauge_tag_set_check_info
    * on (job, instance, target, check) group_left ()
  (time() - snowgauge_check_first_failure_timestamp_seconds)
)
\`\`\`

What is the lowest connected stake among the chains of each tag set? A chain is a check: its families say \`chain\` instead.

\`\`\`promql
min by (job, instance, target, tag_set) (
  label_replace(snowgauge_tag_set_check_info, "chain", "$1", "check", "(.+)")
    * on (job, instance, target, chain) group_left ()
  snowgauge_chain_connected_ratio
)
\`\`\`

How often did a check of a subnet begin to fail within an hour, over all nodes?

\`\`\`promql
sum by (tag_set, check) (
  snowgauge_tag_set_check_info{tag_set="my-l1"}
    * on (job, instance, target, check) group_left ()
  increase(snowgauge_check_transitions_total{to="failing"}[1h])
)
\`\`\`

The usual ones are [recorded](alerts.md#recording-rules): \`snowgauge:tag_set_check_healthy\`, \`snowgauge:tag_set_check_failing\`,
\`snowgauge:tag_set_check_failing_seconds\`, \`snowgauge:tag_set_chain_info\`, and \`snowgauge:ready\`.

A counter of failures, \`snowgauge_polls_total\` with another outcome than \`ok\`, begins with its first failure, at 1, and \`increase()\`
does not see a first sample. \`snowgauge:poll_failures\` counts it.`;
