// Metric families of an L1 validator: its balance and its fee.

import { flag, type Row } from '../../metrics/family.ts';
import type { L1 } from './shown.ts';

const beta = { stability: 'beta', type: 'gauge' } as const;
const ofSubnet = { ...beta, labels: ['target', 'subnet'] } as const;

const l1Source = 'platform.getCurrentValidators, platform.getL1Validator';

export const l1Rows: readonly Row<L1>[] = [
  {
    ...ofSubnet,
    name: 'snowgauge_l1_validator_active',
    unit: 'boolean',
    help: '1 if the L1 validator has a balance for its fee, 0 if it is inactive.',
    source: `balance of ${l1Source}`,
    value: ({ active }) => (active === undefined ? undefined : flag(active)),
  },
  {
    ...ofSubnet,
    name: 'snowgauge_l1_validator_balance_navax',
    unit: 'none',
    help: 'Balance of the L1 validator for the continuous fee, in nAVAX.',
    source: `balance of ${l1Source}`,
    value: ({ balance }) => balance,
  },
  {
    ...ofSubnet,
    name: 'snowgauge_l1_validator_balance_end_timestamp_seconds',
    unit: 'timestamp',
    help: 'Time at which the balance of the L1 validator ends, at the current fee.',
    source: `balance of ${l1Source}; price of platform.getValidatorFeeState`,
    value: ({ balanceEnd }) => balanceEnd,
  },
  {
    ...ofSubnet,
    name: 'snowgauge_l1_validator_weight',
    unit: 'none',
    help: 'Weight of the L1 validator, in the unit of its subnet.',
    source: `weight of ${l1Source}`,
    value: ({ weight }) => weight,
  },
];

export const feeRows: readonly Row<number>[] = [
  {
    ...beta,
    labels: ['target'],
    name: 'snowgauge_l1_validator_fee_navax_per_second',
    unit: 'none',
    help: 'Continuous fee of an active L1 validator, in nAVAX per second. No sample if the node is not an L1 validator.',
    source: 'price of platform.getValidatorFeeState',
    value: (price) => price,
  },
];
