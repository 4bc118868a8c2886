import { formatScore } from './describe-scores.js';

/** What a score says: a number, a label, a text, or several of these. */
export interface ScoreWords {
  value?: number | null;
  label?: string | null;
  comment?: string | null;
}

/** A score in a word: its label, with its value where both are there, else its comment. */
export function scoreText({ value, label, comment }: ScoreWords): string {
  if (label != null) return value == null ? label : `${label} (${formatScore(value)})`;
  return value == null ? (comment ?? '') : formatScore(value);
}

/** What several scores of a name come to in a word: their labels by how many there are, else their mean, else how many. */
export function sumText({
  count,
  mean,
  labels,
}: {
  count: number;
  mean: number | null;
  labels: Readonly<Record<string, number>>;
}): string {
  const counted = Object.entries(labels).toSorted(([, a], [, b]) => b - a);
  if (counted.length > 0) return counted.map(([label, of]) => (of === 1 ? label : `${label} ×${of}`)).join(', ');
  return mean === null ? `×${count}` : formatScore(mean);
}
