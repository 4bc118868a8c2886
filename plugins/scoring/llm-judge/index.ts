import { defineScorer, untilAborted, type ChatMessage } from '@spandrel/plugin-api';
import {
  BUILT_IN_RUBRIC,
  correctionMessages,
  judgeMessages,
  promptHash,
  VERDICT_SCHEMA,
  findRubric,
  rubricFault,
  RUBRICS,
} from './prompt.js';
import { readVerdict, UnusableReply, type Verdict } from './read-verdict.js';

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
    async score({ complete, signal, ...sample }) {
      const rubric = findRubric(sample.rubric || sample.config.rubric);
      const ask = async (messages: ChatMessage[]): Promise<string> => {
        const request = { messages, temperature: 0, schema: VERDICT_SCHEMA };
        return (await untilAborted(signal, () => complete(request))).text;
      };
      return { ...(await askForVerdict(judgeMessages(sample, rubric), ask)), promptHash: promptHash(rubric) };
    },
  }),
});

/**
 * Asks a judge; one whose reply cannot be used is asked once more, with what is wrong.
 * @param ask answers with the judge's reply.
 * @throws UnusableReply for a second such reply; what `ask` throws.
 */
export async function askForVerdict(
  messages: ChatMessage[],
  ask: (messages: ChatMessage[]) => Promise<string>,
): Promise<Verdict> {
  const reply = await ask(messages);
  try {
    return readVerdict(reply);
  } catch (error) {
    if (!(error instanceof UnusableReply)) throw error;
    return readVerdict(await ask([...messages, ...correctionMessages(reply, error.fault)]));
  }
}
