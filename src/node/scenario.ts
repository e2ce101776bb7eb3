// A scenario as a value: active faults by time, and the chains.

import { idOf, primaryNetworkId } from '../protocol/id.ts';
import { type Parsed, parseYaml } from '../yaml/parse.ts';
import type { ChainShape } from './network/simulated-chain.ts';
import { type Fault, type FaultKind, type Scenario, scenarioSchema } from './scenario-grammar.ts';

export type { Fault, FaultKind, Scenario } from './scenario-grammar.ts';

/** A fault and the time at which it started, in seconds since the node's start. */
export type ActiveFault = Fault & { readonly since: number };

/** An active fault of one kind. */
type Active<Kind extends FaultKind> = Extract<ActiveFault, { readonly fault: Kind }>;

export const parseScenario = (text: string): Promise<Parsed<Scenario>> => parseYaml(text, consistentSchema);

/** Checks that do not belong to a chain. */
const nodeChecks = ['network', 'router', 'database', 'diskspace', 'bootstrapped', 'bls', 'futureupgrade'];

/** Valid targets of faults. A chain is named by its name, its id, or its subnet. */
const namesIn = (scenario: Scenario) => {
  const chains = plannedChains(scenario);
  const subnets = ['primary', primaryNetworkId, ...scenario.subnets.flatMap(({ name }) => [name, subnetIdOf(scenario, name)])];
  const chainNames = chains.map(({ name }) => name);
  return { subnet: subnets, chain: [...chainNames, ...subnets], check: [...chainNames, ...nodeChecks] };
};

/** Rejects chains of the same check, of which the report would show one, and faults with unknown targets, which would silently do nothing. */
const consistentSchema = scenarioSchema.check(({ value, issues }) => {
  const known = namesIn(value);
  const builtIn = plannedChains({ ...value, subnets: [] }).map(({ name }) => name);
  const taken = new Set([...builtIn, ...nodeChecks]);
  for (const [at, { chains }] of value.subnets.entries())
    for (const [of, chain] of chains.entries())
      for (const key of ['alias', 'id'] as const) {
        const name = chain[key];
        if (name !== undefined && taken.has(name)) {
          const message = 'is also the name or id of another chain or check: each must be unique';
          issues.push({ code: 'custom', message, input: name, path: ['subnets', at, 'chains', of, key] });
        }
        if (name !== undefined) taken.add(name);
      }
  for (const [at, fault] of value.faults.entries())
    for (const key of ['check', 'chain', 'subnet'] as const) {
      const name = key in fault ? fault[key as keyof typeof fault] : undefined;
      if (typeof name !== 'string' || known[key].includes(name)) continue;
      const message = `is not a ${key} of this scenario: write one of ${known[key].join(', ')}`;
      issues.push({ code: 'custom', message, input: name, path: ['faults', at, key] });
    }
});

/** Scenario without a file: P, X and C, and no faults. */
export const quietScenario: Scenario = scenarioSchema.parse({});

/** Faults active at this many seconds after the start. */
export const faultsAt = (scenario: Scenario, elapsedSeconds: number): readonly ActiveFault[] =>
  scenario.faults.flatMap((fault) => {
    const passed = elapsedSeconds - fault.at;
    if (passed < 0) return [];
    const intoThisTime = fault.every === undefined ? passed : passed % fault.every;
    if (fault.for !== undefined && intoThisTime >= fault.for) return [];
    return [{ ...fault, since: elapsedSeconds - intoThisTime }];
  });

export const faultsOf = <Kind extends FaultKind>(faults: readonly ActiveFault[], kind: Kind): readonly Active<Kind>[] =>
  faults.filter((fault): fault is Active<Kind> => fault.fault === kind);

export const hasFault = (faults: readonly ActiveFault[], kind: FaultKind): boolean => faultsOf(faults, kind).length > 0;

export interface PlannedChain extends ChainShape {
  /** Undefined for the built-in chains: P, X and C. */
  readonly vmId?: string;
  readonly vmMissing: boolean;
}

/** Id of what only has names; the same in every run. */
export const idFor = (...names: readonly (string | number)[]): string => idOf(new TextEncoder().encode(names.join('/')));

/** Id of the subnet, given by the scenario or not. A fault names the subnet by name or id. */
export const subnetIdOf = (scenario: Scenario, nameOrId: string): string => {
  const subnet = scenario.subnets.find(({ name, id }) => name === nameOrId || id === nameOrId);
  if (subnet !== undefined) return subnet.id ?? idFor('subnet', subnet.name);
  return nameOrId === 'primary' ? primaryNetworkId : nameOrId;
};

/** P first, because it creates the others. */
export const plannedChains = (scenario: Scenario): readonly PlannedChain[] => [
  ...(['P', 'X', 'C'] as const).flatMap((name): readonly PlannedChain[] => {
    const own = scenario.chains[name];
    if (own === null) return [];
    // The P-Chain's own id is the primary network's.
    const id = name === 'P' ? primaryNetworkId : idFor('chain', name);
    const { history, blockInterval: blockIntervalSeconds } = own;
    return [{ name, id, subnetId: primaryNetworkId, history, blockIntervalSeconds, vmMissing: false }];
  }),
  ...scenario.subnets.flatMap((subnet) =>
    subnet.chains.map((chain, at): PlannedChain => {
      const { history, blockInterval: blockIntervalSeconds, vm: vmId, vmMissing } = chain;
      // Not in the same form: an alias may be a number.
      const derivedId =
        chain.alias === undefined ? idFor('nth chain', subnet.name, at) : idFor('chain', subnet.name, chain.alias);
      const id = chain.id ?? derivedId;
      const subnetId = subnetIdOf(scenario, subnet.name);
      return { name: chain.alias ?? id, id, subnetId, history, blockIntervalSeconds, vmId, vmMissing };
    }),
  ),
];
