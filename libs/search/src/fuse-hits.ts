import type { SearchHit } from '@spandrel/plugin-api';

/** How much the first places count more than those behind; the usual value (Cormack, Clarke, Büttcher 2009). */
const RANK_CONSTANT = 60;

/** Rankings made one by reciprocal rank fusion: scores of different kinds need not be comparable. Best first. */
export function fuseHits(...rankings: readonly (readonly SearchHit[])[]): SearchHit[] {
  const scores = new Map<string, number>();
  for (const ranking of rankings) {
    for (const [at, { id }] of ranking.entries()) {
      scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK_CONSTANT + at + 1));
    }
  }
  return [...scores].map(([id, score]) => ({ id, score })).sort((a, b) => b.score - a.score);
}
