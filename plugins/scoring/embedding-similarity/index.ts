import { defineScorer, plainTextOf, untilAborted } from '@spandrel/plugin-api';

/**
 * How near the output is to the expected text in meaning: the cosine of their vectors, as a part of the way from `floor` to 1
 * (docs/spec/evaluations.md#embeddingsimilarity).
 */
export default defineScorer({
  name: 'EmbeddingSimilarity',
  config: (z) =>
    z.strictObject({
      floor: z.number().min(-1).max(0.99).default(0).describe('The cosine that scores 0, as all lower ones do.'),
    }),
  setup: () => ({
    needsExpected: true,
    asksJudge: true,
    embeds: true,
    isGraded: true,
    async score({ output, expected, config: { floor }, embed, signal }) {
      const texts = [output, plainTextOf(expected)];
      if (texts.includes('')) return { score: output === texts[1] ? 1 : 0, reason: 'an empty text has no vector' };
      const { vectors } = await untilAborted(signal, () => embed({ texts }));
      const similarity = cosine(vectors[0]!, vectors[1]!);
      const score = Math.min(1, Math.max(0, (similarity - floor) / (1 - floor)));
      return { score, reason: `cosine ${similarity.toFixed(4)}` };
    },
  }),
});

/** @throws Error for a vector of zeros, which has no direction. */
function cosine(one: readonly number[], other: readonly number[]): number {
  const dot = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, value, index) => sum + value * b[index]!, 0);
  const similarity = dot(one, other) / (Math.sqrt(dot(one, one)) * Math.sqrt(dot(other, other)));
  if (!Number.isFinite(similarity)) throw new Error('the vectors cannot be compared: one has no direction');
  return similarity;
}
