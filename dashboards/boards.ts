// All dashboards and their file names.

import type { Board } from './board.ts';
import { containerIndex } from './container-index.ts';
import { exporter } from './exporter.ts';
import { fleet } from './fleet.ts';
import { node } from './node.ts';
import { slo } from './slo.ts';
import { subnet } from './subnet.ts';
import { validator } from './validator.ts';

/** Name of the file in deploy/grafana, without extension. */
export const boards: Readonly<Record<string, Board>> = { fleet, node, subnet, index: containerIndex, slo, validator, exporter };
