/** What is known by the names of scorers, where there are several: what is known of one alone is that of the score. */
export const namedScores = <Known>(byScorer: Readonly<Record<string, Known>>): [name: string, known: Known][] =>
  Object.keys(byScorer).length > 1 ? Object.entries(byScorer) : [];
