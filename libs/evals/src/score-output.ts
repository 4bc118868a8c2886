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
export const SCORER_TIMEOUT_MS = 60_000;

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
  const signal = AbortSignal.any([sample.signal, watch.signal]);
  try {
    const score = await Promise.race([
      Promise.resolve().then(() =>
        scorer.score({
          ...sample,
          config,
          signal,
          complete: (request) => watch.paused(() => sample.complete(request)),
        }),
      ),
      aborted(signal),
    ]);
    return checked(score);
  } catch (error) {
    sample.signal.throwIfAborted();
    throw new ScoringError(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    watch.stop();
  }
}

function checked(given: unknown): OutputScore {
  const { score, reason, promptHash } = Object(given) as Partial<Score>;
  const usable = score === null || (typeof score === 'number' && score >= 0 && score <= 1);
  if (!usable) throw new Error('the scorer gave no score from 0 to 1 and no null');
  return {
    score,
    reason: typeof reason === 'string' ? reason : null,
    promptHash: typeof promptHash === 'string' ? promptHash : null,
  };
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
  );

/** Runs out when a scorer works on for too long; does not run while the judge is asked. */
class Watch {
  private readonly abort = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private asking = 0;
  readonly signal = this.abort.signal;

  constructor(private readonly timeoutMs: number) {
    this.start();
  }

  async paused<T>(work: () => Promise<T>): Promise<T> {
    this.asking++;
    this.stop();
    try {
      return await work();
    } finally {
      if (--this.asking === 0 && !this.ended) this.start();
    }
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private get ended(): boolean {
    return this.abort.signal.aborted;
  }

  private start(): void {
    this.timer = setTimeout(
      () => this.abort.abort(new Error(`took longer than ${this.timeoutMs / 1_000} s`)),
      this.timeoutMs,
    );
  }
}
