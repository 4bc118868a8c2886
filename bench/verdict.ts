/** A figure and what it is held against. */
export interface Goal {
  name: string;
  /** `undefined` when it could not be measured, as without a peer that is not installed. */
  figure: number | undefined;
  bound: '<=' | '>=' | '<';
  limit: number;
  /** The figure is a count or a size: what else the machine does cannot change it. */
  holdsAnywhere?: boolean;
}

/**
 * What may be said of a goal.
 * @param busy why the machine was too busy while the figure was taken; `undefined` when it was not.
 */
export function verdictOf({ figure, bound, limit, holdsAnywhere }: Goal, busy: string | undefined): string {
  if (figure === undefined || Number.isNaN(figure)) return 'not measured';
  if (busy !== undefined && holdsAnywhere !== true) return `no verdict (busy: ${busy})`;
  const met = { '<=': figure <= limit, '>=': figure >= limit, '<': figure < limit }[bound];
  return met ? 'met' : 'not met';
}
