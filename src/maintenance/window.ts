// A maintenance window: a time in which alerts about targets are expected. Its instants are of the wall clock, because a person names
// them; seconds since the Unix epoch.

export interface MaintenanceWindow {
  /** Names; absent: every target. */
  readonly targets?: readonly string[];
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  readonly reason: string;
  readonly source: 'configuration' | 'api' | 'annotation';
}

/** Seconds. What lasts longer is no maintenance, and must not be silenced by mistake for good. */
export const longestWindow = 86_400;

/** Of the API: one for each of a thousand targets, and one for all. No more can be kept. */
export const maxWindows = 1001;

/** Of its reason, characters. */
export const longestReason = 256;

export const isOpen = ({ start, end }: MaintenanceWindow, at: number): boolean => start <= at && at < end;

/** `open`: the windows that are. Of those of a target, the one that ends last. */
export const openFor = (open: readonly MaintenanceWindow[], target: string): MaintenanceWindow | undefined =>
  open
    .filter(({ targets }) => targets === undefined || targets.includes(target))
    .reduce<MaintenanceWindow | undefined>((last, one) => (last !== undefined && last.end >= one.end ? last : one), undefined);

/** What is wrong with its instants, said of its end; undefined: nothing. */
export const windowFault = ({ start, end }: Pick<MaintenanceWindow, 'start' | 'end'>): string | undefined => {
  if (end <= start) return 'must be after start';
  return end - start > longestWindow ? 'must be at most 24 h after start' : undefined;
};
