// What a row of the truth table is made of.

import type { Status } from '../../src/conditions/condition.ts';
import type { FaultNow } from '../../src/node/play.ts';
import type { Drill } from '../support/drill.ts';

export type Said = Status;

/** What the probes answer: startup, readiness of the four tag sets, liveness; and what the API says of the whole node's health. */
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
  /** The body of the readiness probe of the whole node holds it. */
  readonly says: string;
  readonly faults?: readonly FaultNow[];
  /** Simulated seconds for which the faults last before the conditions are read. The node checks every 30 s. */
  readonly seconds?: number;
  /** What happens instead, where it is more than faults that last. */
  readonly play?: (drill: Drill) => Promise<void>;
  /** The exporter meets the node in this state, and has not seen it before. */
  readonly fromTheStart?: true;
  /** The node has just begun. */
  readonly young?: true;
  /** A tag set `alpha` whose tag nothing has. */
  readonly wrongTag?: true;
  readonly healthCheckFrequency?: number;
  /** Families, their labels in braces, and the value: as on the page of metrics, within a thousandth. */
  readonly samples: Readonly<Record<string, number>>;
  /** Families that have no sample. */
  readonly absent?: readonly string[];
  /** All that was recorded since, and nothing else: as `told` tells it. */
  readonly events: readonly (string | RegExp)[];
}
