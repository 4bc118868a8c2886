/** Length of a day; days are those of UTC, by their number since the epoch. */
export const DAY_MS = 86_400_000;

/** The day that a moment is in. @param epochMs also before the epoch. */
export const dayOf = (epochMs: number): number => Math.floor(epochMs / DAY_MS);

/** When a day begins. */
export const dayStart = (day: number): number => day * DAY_MS;
