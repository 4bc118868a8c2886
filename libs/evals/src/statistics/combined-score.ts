import { Sum } from './sum.js';

/**
 * One score of a sample out of those of its scorers: Σwᵢxᵢ / Σwᵢ over the scorers with a weight above 0 and a score.
 * @param weights and scores of the scorers, in the same order. @returns `null` when no scorer counts.
 */
export function combinedScore(weights: readonly number[], scores: readonly (number | null)[]): number | null {
  const [weighted, total] = [new Sum(), new Sum()];
  let [least, most] = [1, 0];
  for (const [i, score] of scores.entries()) {
    const weight = weights[i]!;
    if (score === null || weight <= 0) continue;
    weighted.add(weight * score);
    total.add(weight);
    least = Math.min(least, score);
    most = Math.max(most, score);
  }
  if (total.value === 0) return null;
  // A mean lies among its values: rounding must not carry scores of 1 past 1, or equal scores away from their value.
  return Math.min(Math.max(weighted.value / total.value, least), most);
}
