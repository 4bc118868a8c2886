import type { OpenConnection } from '@spandrel/connections';
import type { ScorerResult } from '@spandrel/contract';
import type { Preference, Score, Scorer, ScoreSample } from '@spandrel/plugin-api';
import { estimateCost, type PricingTable } from '@spandrel/tracing';
import { NO_SCORE, addAmounts, addCosts } from './sample-result.js';
import {
  observeEmbeddingCall,
  observeModelCall,
  totalTokens,
  type ItemCallOptions,
  type ModelAnswer,
  type ObservedCall,
} from './model-call.js';

interface ConfiguredScorer {
  name: string;
  scorer: Scorer;
  config: unknown;
}

interface OutputScore {
  score: number | null;
  reason: string | null;
  promptHash: string | null;
  preference?: Preference;
}

/** Scoring failed; the message names the scorer. */
export class ScoringError extends Error {
  override readonly name = 'ScoringError';
}

/** What a scorer may take for itself between its calls of the judge. */
const SCORER_TIMEOUT_MS = 60_000;

/**
 * Has an output scored; a plugin that throws, hangs or answers nonsense fails this item and nothing else.
 * @throws ScoringError; the reason of the sample's signal when that fires.
 */
export async function scoreOutput(
  { name, scorer, config }: ConfiguredScorer,
  sample: Omit<ScoreSample, 'config'>,
  // One in a thread has a limit of its own there, which does not count the time that it waits for the thread.
  timeoutMs: number = scorer.inThread ? Infinity : SCORER_TIMEOUT_MS,
): Promise<OutputScore> {
  if (scorer.needsExpected && sample.expected === undefined) {
    throw new ScoringError(`${name}: the datapoint has no expected value to compare with`);
  }
  if (scorer.needsBaseline && sample.baseline === undefined) {
    throw new ScoringError(`${name}: the baseline has no answer to this datapoint to compare with`);
  }
  const watch = new Watch(timeoutMs);
  try {
    const given = scorer.score({
      ...sample,
      config,
      signal: watch.signal,
      complete: (request) => watch.paused(() => sample.complete(request)),
      embed: (request) => watch.paused(() => sample.embed(request)),
    });
    return checked(isPromise(given) ? await watch.over(given, sample.signal) : given);
  } catch (error) {
    sample.signal.throwIfAborted();
    throw new ScoringError(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** A plugin's promise may come from anywhere. */
const isPromise = (given: unknown): given is Promise<Score> =>
  typeof (given as PromiseLike<unknown> | null | undefined)?.then === 'function';

const PREFERRED: ReadonlySet<unknown> = new Set(['baseline', 'output', 'neither']);

function checked(given: unknown): OutputScore {
  const { score, reason, promptHash, preference } = Object(given) as Partial<Score>;
  const usable = score === null || (typeof score === 'number' && score >= 0 && score <= 1);
  if (!usable) throw new Error('the scorer gave no score from 0 to 1 and no null');
  return {
    score,
    reason: typeof reason === 'string' ? reason : null,
    promptHash: typeof promptHash === 'string' && /^[0-9a-f]{64}$/i.test(promptHash) ? promptHash : null,
    ...(preference &&
      PREFERRED.has(preference.baselineFirst) &&
      PREFERRED.has(preference.outputFirst) && { preference }),
  };
}

/** Ends a scorer that works on for too long; the time does not run while the judge is asked. */
class Watch {
  private readonly abort = new AbortController();
  private readonly expired = Promise.withResolvers<never>();
  private timer: NodeJS.Timeout | undefined;
  private watching = false;
  private asking = 0;

  constructor(private readonly timeoutMs: number) {}

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** The score, unless the time is over or `stop` fires before. */
  async over<T>(score: Promise<T>, stop: AbortSignal): Promise<T> {
    const onStop = (): void => this.end(stop.reason as Error);
    stop.addEventListener('abort', onStop, { once: true });
    if (stop.aborted) onStop();
    this.watching = true;
    this.restart();
    try {
      return await Promise.race([score, this.expired.promise]);
    } finally {
      this.watching = false;
      clearTimeout(this.timer);
      stop.removeEventListener('abort', onStop);
    }
  }

  async paused<T>(work: () => Promise<T>): Promise<T> {
    this.asking++;
    clearTimeout(this.timer);
    try {
      return await work();
    } finally {
      this.asking--;
      this.restart();
    }
  }

  private restart(): void {
    clearTimeout(this.timer);
    if (!this.watching || this.asking > 0 || this.timeoutMs === Infinity) return;
    const late = (): void => this.end(new Error(`took longer than ${this.timeoutMs / 1_000} s`));
    this.timer = setTimeout(late, this.timeoutMs);
  }

  private end(reason: Error): void {
    this.abort.abort(reason);
    this.expired.reject(reason);
  }
}

export interface Judge {
  /** The text is why nobody can be asked. */
  asks: { connection: OpenConnection; model: string } | string;
  rubric: string | undefined;
  /** What the run asks for; `null`: none, `undefined`: what the scorer asks for, or 0. */
  temperature?: number | null | undefined;
}

/**
 * The judge as the scorer of a sample sees it (docs/spec/evaluations.md#llmjudge).
 * @param result gets with every answer whom it came from, and what it took.
 */
function askJudge(
  { asks, temperature: given }: Judge,
  result: ScorerResult,
  pricing: PricingTable,
  options: ItemCallOptions,
): Pick<ScoreSample, 'complete' | 'embed'> {
  const addUse = (model: string, { usage }: ModelAnswer): void => {
    result.judge_tokens = addAmounts([result.judge_tokens, totalTokens(usage)]);
    result.judge_cost = addCosts([result.judge_cost, usage.cost ?? estimateCost(pricing, model, usage)]);
  };
  const whom = (): Exclude<Judge['asks'], string> => {
    if (typeof asks === 'string') throw new Error(asks);
    result.judge_model = asks.model;
    return asks;
  };
  return {
    async complete({ messages, temperature, schema }) {
      const { connection, model } = whom();
      const isTemperatureOurs = given === undefined;
      const answerSchema = connection.provider.chat.takesSchema ? schema : undefined;
      const asked = isTemperatureOurs ? (temperature ?? 0) : (given ?? undefined);
      const call = { model, messages, temperature: asked, answerSchema };
      const answer = await observeModelCall('judge', connection, call, { ...options, isTemperatureOurs });
      addUse(model, answer);
      return { text: answer.text };
    },
    async embed({ texts }) {
      const { connection, model } = whom();
      const answer = await observeEmbeddingCall(connection, { model, texts }, options);
      addUse(model, answer);
      return { vectors: answer.vectors };
    },
  };
}

/** A scorer of a run, ready to score: its plugin is configured, its judge's connection is open. */
export interface PreparedScorer extends ConfiguredScorer {
  weight: number;
  judge: Judge;
}

interface ScoredOutput {
  input: unknown;
  output: string;
  /** `undefined`: nothing is expected. */
  expected: unknown;
  /** What the baseline of the run answered, where scorers need it. */
  baseline?: string | undefined;
  latencyMs: number | null;
  /** Cost in dollars. */
  cost: number | null;
}

/**
 * Has each scorer score an output, all at once; one that fails leaves its error, and the others go on.
 * @returns in the order of the scorers.
 * @throws the reason of `options.signal` when that fires, and nothing else.
 */
export async function scoreSample(
  scorers: readonly PreparedScorer[],
  sample: ScoredOutput,
  pricing: PricingTable,
  options: ItemCallOptions,
): Promise<ScorerResult[]> {
  // Calls are reported in the order of the scorers, whichever ends first, so that a repeated sample reports the same.
  const calls: ObservedCall[][] = scorers.map(() => []);
  const results = await Promise.all(
    scorers.map((scorer, index) => {
      const named = scorers.length > 1 && { scorer: scorer.name };
      const observe = (call: ObservedCall): void => void calls[index]!.push({ ...call, ...named });
      return scoreBy(scorer, sample, pricing, { ...options, observe });
    }),
  );
  for (const call of calls.flat()) options.observe?.(call);
  return results;
}

async function scoreBy(
  scorer: PreparedScorer,
  sample: ScoredOutput,
  pricing: PricingTable,
  options: ItemCallOptions,
): Promise<ScorerResult> {
  // One order of members, so that exports can be compared by line.
  const result: ScorerResult = { ...NO_SCORE };
  const observe = (call: ObservedCall): void => {
    result.judge_attempts = (result.judge_attempts ?? 0) + call.attempts;
    options.observe?.(call);
  };
  const asking = askJudge(scorer.judge, result, pricing, { ...options, observe });
  const { rubric } = scorer.judge;
  const { signal } = options;
  try {
    const scored = await scoreOutput(scorer, { ...sample, ...asking, rubric, signal });
    const { score, reason, promptHash, preference } = scored;
    Object.assign(result, { score, reason, judge_prompt_hash: promptHash });
    if (preference) {
      result.preference = { baseline_first: preference.baselineFirst, output_first: preference.outputFirst };
    }
  } catch (error) {
    signal.throwIfAborted();
    result.error = describeError(error, scorer.name);
  }
  // A scorer that did not wait for its judge changes nothing any more.
  return { ...result };
}

function describeError(error: unknown, scorer: string): string {
  if (error instanceof ScoringError) return error.message;
  return `scorer ${scorer}: ${error instanceof Error ? error.message : String(error)}`;
}
