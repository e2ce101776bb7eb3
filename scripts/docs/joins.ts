// Queries for facts of a check by tag set: examples of docs/metrics.md whose results are tested. The matching labels are
// explicit, so that nothing is many-to-many.

/** By the question that each query answers. */
export const joins = {
  'Does each check of a subnet pass?': `snowgauge_tag_set_check_info{tag_set="my-l1"}
  * on (job, instance, target, check) group_left ()
snowgauge_check_healthy`,
  'How many checks fail for each tag set?': `count by (job, instance, target, tag_set) (
  snowgauge_tag_set_check_info
    * on (job, instance, target, check) group_left ()
  (snowgauge_check_healthy == 0)
)`,
  'Which checks fail for which tag sets, and why?': `snowgauge_tag_set_check_info
  * on (job, instance, target, check) group_left (reason)
snowgauge_check_failure_reason`,
  'For how long has each tag set had a failing check?': `max by (job, instance, target, tag_set) (
  snowgauge_tag_set_check_info
    * on (job, instance, target, check) group_left ()
  (time() - snowgauge_check_first_failure_timestamp_seconds)
)`,
  'Which check of each tag set takes longest?': `topk by (job, instance, target, tag_set) (1,
  snowgauge_tag_set_check_info
    * on (job, instance, target, check) group_left ()
  snowgauge_check_duration_seconds
)`,
  'What is the lowest connected stake among the chains of each tag set?': `min by (job, instance, target, tag_set) (
  label_replace(snowgauge_tag_set_check_info, "chain", "$1", "check", "(.+)")
    * on (job, instance, target, chain) group_left ()
  snowgauge_chain_connected_ratio
)`,
  'How often did a check of a subnet begin to fail within an hour, over all nodes?': `sum by (tag_set, check) (
  snowgauge_tag_set_check_info{tag_set="my-l1"}
    * on (job, instance, target, check) group_left ()
  increase(snowgauge_check_transitions_total{to="failing"}[1h])
)`,
} as const;
