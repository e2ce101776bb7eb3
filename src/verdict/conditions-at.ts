// The conditions at an instant.

import type { TargetState } from '../sources/target-state.ts';
import type { Conditions } from './condition.ts';

export const conditionsAt = (conditions: Conditions, _state: TargetState, _now: number): Conditions => conditions;
