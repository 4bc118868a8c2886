import { errorText } from '../recording/error-text.js';
import { isBuiltIn } from './built-in-scorers.js';
import type { EvalSpandrel } from './eval-spandrel.js';
import { isObject } from './json.js';
import { limited, type Bounds } from './limited.js';
import { scorerName, type PlannedScorer } from './plan-scorers.js';
import type { ScorerInput } from './scorer.js';

/** What a scorer said. */
export interface Said {
  /** `null`: it gave none. */
  score: number | null;
  reason?: string;
  /** What it calls itself. */
  name?: string;
  /** Why it could not score. */
  error?: string;
}

/**
 * Asks a scorer of this process, in a span of its own unless it is a built-in one.
 * @returns also when the scorer fails. @throws what the eval was stopped with.
 */
export async function scoreOutput(
  { name, score }: PlannedScorer,
  sample: ScorerInput,
  spandrel: EvalSpandrel,
  bounds: Bounds,
): Promise<Said | undefined> {
  if (score === undefined) return undefined;
  const ask = async (): Promise<Said> => readScore(await limited(() => score(sample), bounds));
  try {
    if (isBuiltIn(score)) return await ask();
    const { output, expected } = sample;
    return await spandrel.span(`scorer ${name ?? ''}`.trim(), { input: { output, expected } }, async (span) => {
      const said = await ask();
      span.set({ output: { score: said.score, reason: said.reason } });
      return said;
    });
  } catch (error) {
    bounds.signal.throwIfAborted();
    return { score: null, error: errorText(error) };
  }
}

function readScore(answer: unknown): Said {
  if (!isObject(answer)) return { score: scoreOf(answer) };
  if (!('score' in answer)) throw new Error('the answer has no score; it must be a number or { name, score, reason }');
  const { name, score, reason, metadata } = answer;
  const rationale = isObject(metadata) ? metadata['rationale'] : undefined;
  const why = [reason, rationale].find((text): text is string => typeof text === 'string' && text !== '');
  const own = typeof name === 'string' ? scorerName(name) : undefined;
  return { score: scoreOf(score), ...(why !== undefined && { reason: why }), ...(own !== undefined && { name: own }) };
}

function scoreOf(score: unknown): number | null {
  if (score === null) return null;
  if (typeof score === 'boolean') return score ? 1 : 0;
  if (typeof score === 'number' && score >= 0 && score <= 1) return score;
  const given =
    typeof score === 'number' ? `is ${score}` : `is ${Array.isArray(score) ? 'a list' : `of type ${typeof score}`}`;
  throw new Error(`the score ${given}; it must be a number from 0 to 1`);
}
