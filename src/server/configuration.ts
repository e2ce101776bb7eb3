// The current configuration, errors of the last reload, and settings that require a restart, for page, API and probe.

import { isoOf, shortened } from '../text.ts';

export interface Configuration {
  /** The file, or `environment`. */
  readonly source: string;
  /** When the current configuration was loaded; seconds, steady clock, like all times here. */
  readonly loadedAt: number;
  /** Set if the last reload failed: when it first failed, and all errors. */
  readonly reloadFailure?: { readonly at: number; readonly errors: readonly string[] };
  /** Changed settings that require a restart. */
  readonly needRestart: readonly string[];
}

export interface ConfigurationStatus {
  readonly source: string;
  readonly loadedAt: string;
  readonly reloadFailure?: { readonly at: string; readonly errors: readonly string[]; readonly leftOut: number };
  readonly needRestart?: readonly string[];
}

const maxErrors = 20;

/** `wallOffset`: wall clock − steady clock, seconds. */
export const configurationStatus = (
  { source, loadedAt, reloadFailure, needRestart }: Configuration,
  wallOffset: number,
): ConfigurationStatus => ({
  source: shortened(source, 300),
  loadedAt: isoOf(loadedAt + wallOffset),
  ...(reloadFailure !== undefined && {
    reloadFailure: {
      at: isoOf(reloadFailure.at + wallOffset),
      errors: reloadFailure.errors.slice(0, maxErrors).map((error) => shortened(error, 500)),
      leftOut: Math.max(0, reloadFailure.errors.length - maxErrors),
    },
  }),
  ...(needRestart.length > 0 && { needRestart }),
});

/** Why the last reload failed, or which changed settings require a restart; undefined if neither is the case. */
export const configurationFault = ({ reloadFailure, needRestart, source }: Configuration): string | undefined => {
  if (reloadFailure !== undefined) {
    const [first = '', ...others] = reloadFailure.errors;
    const more = others.length === 0 ? '' : `; and ${others.length} more`;
    return `reload failed, keeping the previous configuration: ${shortened(first, 300)}${more}`;
  }
  return needRestart.length === 0 ? undefined : `restart snowgauge: ${shortened(source, 300)} changed ${needRestart.join(', ')}`;
};
