/** What the score of all scorers together is called, where there are several. */
const TOGETHER = 'All together';

/** The score of all scorers together and those of each, by name. Where there is one scorer they are the same. */
export function namedScores<Of>(score: Of, scorers: Readonly<Record<string, Of>>): { name: string; of: Of }[] {
  const each = Object.entries(scorers).map(([name, of]) => ({ name, of }));
  return each.length === 1 ? [{ name: each[0]!.name, of: score }] : [{ name: TOGETHER, of: score }, ...each];
}
