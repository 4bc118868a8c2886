import type { Score, Scorer, ScoreSample } from '@spandrel/plugin-api';

/** A loaded scoring plugin with the checked config of a run. */
export interface ConfiguredScorer {
  name: string;
  scorer: Scorer;
  config: unknown;
}

/** What scoring an output gave. */
export interface OutputScore {
  score: number | null;
  reason: string | null;
  promptHash: string | null;
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
  timeoutMs: number = SCORER_TIMEOUT_MS,
): Promise<OutputScore> {
  if (scorer.needsExpected && sample.expected === undefined) {
    throw new ScoringError(`${name}: the datapoint has no expected value to compare with`);
  }
  const watch = new Watch(timeoutMs);
  try {
    const given = scorer.score({
      ...sample,
      config,
      signal: watch.signal,
      complete: (request) => watch.paused(() => sample.complete(request)),
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

function checked(given: unknown): OutputScore {
  const { score, reason, promptHash } = Object(given) as Partial<Score>;
  const usable = score === null || (typeof score === 'number' && score >= 0 && score <= 1);
  if (!usable) throw new Error('the scorer gave no score from 0 to 1 and no null');
  return {
    score,
    reason: typeof reason === 'string' ? reason : null,
    promptHash: typeof promptHash === 'string' && /^[0-9a-f]{64}$/i.test(promptHash) ? promptHash : null,
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
    if (!this.watching || this.asking > 0) return;
    const late = (): void => this.end(new Error(`took longer than ${this.timeoutMs / 1_000} s`));
    this.timer = setTimeout(late, this.timeoutMs);
  }

  private end(reason: Error): void {
    this.abort.abort(reason);
    this.expired.reject(reason);
  }
}
