// Each family of the exporter that rules read, and which of several replicas counts where they differ.

import { identityInputs } from './identity-inputs.ts';
import type { Aggregation, FamilyName, Recording } from './rule.ts';
import { validatorInputs } from './validator-inputs.ts';

/** A family that other rules read, brought down to the identity of a target. */
export interface RuleInput {
  readonly record: Recording['record'];
  readonly help: string;
  readonly by: Aggregation;
  readonly family: FamilyName;
  readonly labels?: readonly string[];
  readonly matchers?: readonly string[];
}

export const ruleInputs: readonly RuleInput[] = [
  { record: 'snowgauge:up', help: '1 if a replica has a fresh health report of the target.', by: 'max', family: 'snowgauge_up' },
  {
    record: 'snowgauge:last_report',
    help: 'Time of the last health report.',
    by: 'max',
    family: 'snowgauge_last_report_timestamp_seconds',
  },
  {
    record: 'snowgauge:ready',
    help: '1 while the condition Ready of a node is True for the tag set, 0 while it is False or Unknown.',
    by: 'max',
    family: 'snowgauge_target_condition',
    labels: ['tag_set'],
    matchers: ['condition="Ready"', 'status="true"'],
  },
  {
    record: 'snowgauge:ready_by_all',
    help: 'The same, and 0 if one replica of the exporter says otherwise.',
    by: 'min',
    family: 'snowgauge_target_condition',
    labels: ['tag_set'],
    matchers: ['condition="Ready"', 'status="true"'],
  },
  {
    record: 'snowgauge:unhealthy',
    help: '1 while the condition Healthy of a node is False for the tag set, 0 while it is True or Unknown.',
    by: 'max',
    family: 'snowgauge_target_condition',
    labels: ['tag_set'],
    matchers: ['condition="Healthy"', 'status="false"'],
  },
  {
    record: 'snowgauge:not_live',
    help: '1 while the condition Live of a node is False.',
    by: 'max',
    family: 'snowgauge_target_condition',
    matchers: ['condition="Live"', 'status="false"'],
  },
  { record: 'snowgauge:frozen', help: '1 while no health check runs.', by: 'max', family: 'snowgauge_health_frozen' },
  {
    record: 'snowgauge:frozen_suspect',
    help: '1 for the check that the others may wait for.',
    by: 'max',
    family: 'snowgauge_health_frozen_suspect',
    labels: ['check'],
  },
  {
    record: 'snowgauge:clock_skew_seconds',
    help: 'Node clock minus exporter clock.',
    by: 'max',
    family: 'snowgauge_clock_skew_seconds',
  },
  {
    record: 'snowgauge:node_id',
    help: 'Always 1, with the NodeID of the target where it is known.',
    by: 'max',
    family: 'snowgauge_target_info',
    labels: ['node_id'],
    matchers: ['node_id!=""'],
  },
  {
    record: 'snowgauge:maintenance_end',
    help: 'The end of the maintenance window of the target.',
    by: 'max',
    family: 'snowgauge_target_maintenance_end_timestamp_seconds',
  },
  {
    record: 'snowgauge:bootstrapping_subnets',
    help: 'Subnets that are still bootstrapping.',
    by: 'max',
    family: 'snowgauge_bootstrapping_subnets',
  },
  {
    record: 'snowgauge:check_healthy',
    help: '1 if the check passes.',
    by: 'min',
    family: 'snowgauge_check_healthy',
    labels: ['check'],
  },
  {
    record: 'snowgauge:check_failure_reason',
    help: '1 for the current reason of a failing check.',
    by: 'max',
    family: 'snowgauge_check_failure_reason',
    labels: ['check', 'reason'],
  },
  {
    record: 'snowgauge:check_first_failure',
    help: 'Since when the check fails, by the node clock.',
    by: 'min',
    family: 'snowgauge_check_first_failure_timestamp_seconds',
    labels: ['check'],
  },
  {
    record: 'snowgauge:tag_set_check',
    help: '1 for each check that counts for the tag set.',
    by: 'max',
    family: 'snowgauge_tag_set_check_info',
    labels: ['tag_set', 'check'],
  },
  {
    record: 'snowgauge:tag_set_failing_checks',
    help: 'Failing checks that count for the tag set.',
    by: 'max',
    family: 'snowgauge_tag_set_failing_checks',
    labels: ['tag_set'],
  },
  {
    record: 'snowgauge:tag_known',
    help: '1 if the tag selects a check.',
    by: 'min',
    family: 'snowgauge_tag_known',
    labels: ['tag_set', 'tag'],
  },
  { record: 'snowgauge:peers', help: 'Peers of the node.', by: 'max', family: 'snowgauge_network_connected_peers' },
  {
    record: 'snowgauge:chain_height',
    help: 'Height of the last accepted block of the chain.',
    by: 'max',
    family: 'snowgauge_chain_last_accepted_height',
    labels: ['chain'],
  },
  {
    record: 'snowgauge:upgrade_timestamp',
    help: 'Time of the next network upgrade.',
    by: 'min',
    family: 'snowgauge_upgrade_timestamp_seconds',
  },
  {
    record: 'snowgauge:disk_available_bytes',
    help: 'Free bytes of the disk.',
    by: 'min',
    family: 'snowgauge_disk_available_bytes',
  },
  {
    record: 'snowgauge:disk_available_ratio',
    help: 'Free fraction of the disk.',
    by: 'min',
    family: 'snowgauge_disk_available_ratio',
  },
  {
    record: 'snowgauge:index_height',
    help: 'Index of the last container.',
    by: 'max',
    family: 'snowgauge_index_last_accepted_height',
    labels: ['index'],
  },
  {
    record: 'snowgauge:index_state',
    help: '1 while the index is off, or requests to it fail.',
    by: 'max',
    family: 'snowgauge_index_state',
    labels: ['index', 'state'],
    matchers: ['state=~"off|error"'],
  },
  {
    record: 'snowgauge:index_drift',
    help: 'Blocks missing from the index.',
    by: 'min',
    family: 'snowgauge_index_height_drift',
    labels: ['index'],
  },
  {
    record: 'snowgauge:index_agrees',
    help: '1 if the index has the last block of its chain.',
    by: 'max',
    family: 'snowgauge_index_agrees_with_chain',
    labels: ['index'],
  },
  ...identityInputs,
  ...validatorInputs,
];
