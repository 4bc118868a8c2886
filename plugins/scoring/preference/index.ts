import { askJudge, defineScorer, type Preferred } from '@spandrel/plugin-api';
import {
  BUILT_IN_RUBRIC,
  CORRECTION_TEMPLATE,
  PREFERENCE_FORMAT,
  PREFERENCE_SCHEMA,
  preferenceMessages,
  promptHash,
} from './prompt.js';

/** Longest rubric, in UTF-16 units; equals the limit of a run's `config.judge.rubric`. */
const RUBRIC_LENGTH_MAX = 100_000;

const SCORES = { output: 1, neither: 0.5, baseline: 0 } as const satisfies Record<Preferred, number>;

/** Another model says whether the output is better than the baseline's, in both orders (docs/spec/evaluations.md#preference). */
export default defineScorer({
  name: 'Preference',
  config: (z) => z.strictObject({ rubric: z.string().min(1).max(RUBRIC_LENGTH_MAX).default(BUILT_IN_RUBRIC) }),
  setup: () => ({
    needsExpected: false,
    needsBaseline: true,
    asksJudge: true,
    isGraded: true,
    async score(sample) {
      const { output, baseline = '' } = sample;
      const rubric = sample.rubric || sample.config.rubric;
      const hashed = { promptHash: promptHash(rubric) };
      // No judge can say more, and two calls cost something.
      if (output === baseline) return { score: SCORES.neither, reason: 'The answers are the same.', ...hashed };
      const ask = async (first: Exclude<Preferred, 'neither'>, second: Exclude<Preferred, 'neither'>) => {
        const texts = { output, baseline };
        const messages = preferenceMessages(sample, { first: texts[first], second: texts[second] }, rubric);
        const question = { messages, schema: PREFERENCE_SCHEMA, correction: CORRECTION_TEMPLATE, ...PREFERENCE_FORMAT };
        const { said, reason } = await askJudge(sample, question);
        const places = { first, second, neither: 'neither' } as const;
        return { preferred: places[said], reason };
      };
      const after = await ask('baseline', 'output');
      const before = await ask('output', 'baseline');
      const reasons = [
        after.reason && `After the baseline's answer: ${after.reason}`,
        before.reason && `Before it: ${before.reason}`,
      ].filter(Boolean);
      return {
        score: after.preferred === before.preferred ? SCORES[after.preferred] : SCORES.neither,
        ...(reasons.length > 0 && { reason: reasons.join('\n') }),
        ...hashed,
        preference: { baselineFirst: after.preferred, outputFirst: before.preferred },
      };
    },
  }),
});
