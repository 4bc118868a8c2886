import { defineScorer } from '@spandrel/plugin-api';
import { BUILT_IN_RUBRIC, judgeMessages, promptHash } from './prompt.js';
import { readVerdict } from './read-verdict.js';

/** Longest rubric, in UTF-16 units; equals the limit of a run's `config.judge.rubric`. */
const RUBRIC_LENGTH_MAX = 100_000;

/** Another model rates the output by a rubric, 0 to 1 (docs/spec/evaluations.md#llmjudge). */
export default defineScorer({
  name: 'LlmJudge',
  config: (z) => z.strictObject({ rubric: z.string().min(1).max(RUBRIC_LENGTH_MAX).default(BUILT_IN_RUBRIC) }),
  setup: () => ({
    needsExpected: false,
    asksJudge: true,
    async score({ complete, signal, ...sample }) {
      const rubric = sample.rubric || sample.config.rubric;
      const request = { messages: judgeMessages(sample, rubric), temperature: 0 };
      const { text } = await untilAborted(signal, () => complete(request));
      return { ...readVerdict(text), promptHash: promptHash(rubric) };
    },
  }),
});

/** Waits for `work` until `signal` aborts. @throws the signal's reason once it does; what `work` throws. */
export async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work(), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
