// A maintenance window: a time in which alerts about targets are expected. Start and end are in seconds since the Unix epoch, by the wall
// clock, because people choose them.

export interface MaintenanceWindow {
  /** Names of the targets; absent: all targets. */
  readonly targets?: readonly string[];
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  readonly reason: string;
  readonly source: 'configuration' | 'api' | 'annotation';
}

/** Maximum length in seconds, so that a mistake cannot silence alerts permanently. */
export const longestWindow = 86_400;

/** Maximum number of windows of the API: one for each of a thousand targets, and one for all targets. */
export const maxWindows = 1001;

/** Maximum length of a reason in characters. */
export const longestReason = 256;

export const isOpen = ({ start, end }: MaintenanceWindow, at: number): boolean => start <= at && at < end;

/**
 * Returns the open window of the target; if there are several, the one that ends last. It has `targets` if any of them has. `open`: all
 * open windows.
 */
export const openFor = (open: readonly MaintenanceWindow[], target: string): MaintenanceWindow | undefined => {
  const ofTarget = open.filter(({ targets }) => targets === undefined || targets.includes(target));
  const last = ofTarget.reduce<MaintenanceWindow | undefined>(
    (before, one) => (before !== undefined && before.end >= one.end ? before : one),
    undefined,
  );
  const targets = ofTarget.find((one) => one.targets !== undefined)?.targets;
  return last === undefined || last.targets !== undefined || targets === undefined ? last : { ...last, targets };
};

/** Returns what is wrong with the end, such as `must be after start`; undefined if start and end are valid. */
export const windowFault = ({ start, end }: Pick<MaintenanceWindow, 'start' | 'end'>): string | undefined => {
  if (end <= start) return 'must be after start';
  return end - start > longestWindow ? 'must be at most 24 h after start' : undefined;
};
