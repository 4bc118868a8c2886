/** What was left out of a replay, behind how many are replayed: `; left out: 12 masked, 3 failed`. */
export const describeLeftOut = (leftOut: readonly { reason: string; count: number }[]): string =>
  leftOut.length === 0
    ? ''
    : `; left out: ${leftOut.map(({ reason, count }) => `${count} ${reason.replaceAll('_', ' ')}`).join(', ')}`;
