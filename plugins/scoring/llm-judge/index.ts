import { askJudge, defineScorer } from '@spandrel/plugin-api';
import {
  BUILT_IN_RUBRIC,
  CORRECTION_TEMPLATE,
  judgeMessages,
  promptHash,
  VERDICT_SCHEMA,
  findRubric,
  rubricFault,
  RUBRICS,
  SCORE_FORMAT,
} from './prompt.js';

/** Longest rubric, in UTF-16 units; equals the limit of a run's `config.judge.rubric`. */
const RUBRIC_LENGTH_MAX = 100_000;

/** Another model rates the output by a rubric, 0 to 1 (docs/spec/evaluations.md#llmjudge). */
export default defineScorer({
  name: 'LlmJudge',
  config: (z) =>
    z.strictObject({
      rubric: z
        .string()
        .min(1)
        .max(RUBRIC_LENGTH_MAX)
        .default(BUILT_IN_RUBRIC)
        .meta({
          description: `The name of a rubric (${Object.keys(RUBRICS).join(', ')}), or one in words of your own.`,
          examples: Object.keys(RUBRICS),
        }),
    }),
  setup: () => ({
    needsExpected: false,
    asksJudge: true,
    isGraded: true,
    rubricFault,
    configFaults({ rubric }) {
      const message = rubricFault(rubric);
      return message === undefined ? [] : [{ path: 'rubric', message }];
    },
    async score(sample) {
      const rubric = findRubric(sample.rubric || sample.config.rubric);
      const question = {
        messages: judgeMessages(sample, rubric),
        schema: VERDICT_SCHEMA,
        correction: CORRECTION_TEMPLATE,
      };
      const { said: score, ...reason } = await askJudge(sample, { ...question, ...SCORE_FORMAT });
      return { score, ...reason, promptHash: promptHash(rubric) };
    },
  }),
});
