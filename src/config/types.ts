// What a configuration is once it is read: seconds, bytes and cadences. The parts have the shapes that those who use them declare.

import type { IndexName } from '../protocol/paths.ts';
import type { Reason } from '../protocol/reasons.ts';

export interface Config {
  readonly listen: { readonly host: string; readonly port: number };
  /** The probe paths alone, over plain HTTP, on listen.host. */
  readonly probes?: { readonly port: number };
  readonly stateDir?: string;
  readonly kubernetes: Kubernetes;
  readonly targets: readonly TargetConfig[];
}

/** Labels on the pod that snowgauge runs in itself. Seconds. */
export interface Kubernetes {
  readonly podName?: string;
  readonly podNamespace?: string;
  /** Holds the service account's token and ca.crt. */
  readonly serviceAccountDir: string;
  readonly podLabels: {
    readonly enabled: boolean;
    readonly onShutdown: 'clear' | 'keep';
    readonly confirmEvery: number;
  };
}

export interface TagSet {
  readonly name: string;
  readonly tags: readonly string[];
}

/** What polling, the page and the verdicts know of a target. Seconds and cadences. */
export interface TargetOptions {
  readonly name: string;
  readonly url: string;
  readonly healthCheckFrequency: number;
  readonly tagSets: readonly TagSet[];
  readonly indexes: readonly IndexName[];
  readonly staleAfter: number;
  /** In cadences. */
  readonly frozenAfter: number;
  readonly readiness: Readiness;
  readonly liveness: Liveness;
}

/** What a client needs, but for the name it gives itself. */
export interface ClientSettings {
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
  readonly authorization?: { readonly type: 'Bearer' | 'Basic'; readonly credentialsFile: string };
}

export interface Readiness {
  readonly ignoreChecks: readonly string[];
  readonly ignoreReasons: readonly Reason[];
  /** Rounds of the node, or failed polls. */
  readonly failAfter: number;
  readonly passAfter: number;
}

/** In cadences. */
export interface Liveness {
  readonly unresponsiveAfter: number;
  readonly frozenAfter: number;
}

export interface TargetConfig {
  readonly options: TargetOptions;
  readonly client: ClientSettings;
}
