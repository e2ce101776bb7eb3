// The parts of a row of the truth table.

import type { Status } from '../../src/conditions/condition.ts';
import type { FaultNow } from '../../src/node/play.ts';
import type { Drill } from '../support/drill.ts';

export type Said = Status;

/** The answers of the probes: startup, readiness of the four tag sets, liveness; and the health of the whole node in the API. */
export interface Expected {
  readonly started: Said;
  readonly healthy: Said;
  readonly all: Said;
  readonly primary: Said;
  readonly alpha: Said;
  readonly beta: Said;
  readonly live: Said;
}

export interface Situation {
  readonly situation: string;
  readonly conditions: Expected;
  /** Text in the body of the readiness probe of the whole node. */
  readonly says: string;
  readonly faults?: readonly FaultNow[];
  /** Simulated seconds for which the faults last before the conditions are read. The node checks every 30 s. */
  readonly seconds?: number;
  /** What happens next, if it is more than lasting faults. */
  readonly play?: (drill: Drill) => Promise<void>;
  /** The exporter sees the node for the first time in this state. */
  readonly fromTheStart?: true;
  /** The node has just started. */
  readonly young?: true;
  /** A tag set `alpha` with a tag that no check has. */
  readonly wrongTag?: true;
  readonly healthCheckFrequency?: number;
  /** Families with their labels in braces, and the value on the metrics page, within a thousandth. */
  readonly samples: Readonly<Record<string, number>>;
  /** Families that have no sample. */
  readonly absent?: readonly string[];
  /** Everything recorded since, as formatted by `told`, and nothing else. */
  readonly events: readonly (string | RegExp)[];
}
