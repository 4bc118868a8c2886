import type { ChatMessage } from './chat.js';
import type { PluginLogger } from './deps.js';

/** What a scorer plugin gets in `setup`. */
export interface ScorerDeps {
  logger: PluginLogger;
}

/** A scoring strategy of evaluations: how good is this output? */
export interface Scorer {
  /** True when a datapoint without an expected value cannot be scored; such an item fails before `score` is called. */
  readonly needsExpected: boolean;
  /**
   * Scores one output. May be called many times at once; must stop when `signal` aborts.
   * @returns `score` 0 to 1, or `null` when the strategy gives none.
   * @throws anything: the item fails with the scorer's name and the message, the run goes on.
   */
  score(sample: ScoreSample): Promise<Score> | Score;
}

export interface ScoreSample {
  /** The datapoint's input: a text, or its messages. */
  input: unknown;
  /** The model's output text. */
  output: string;
  /** The datapoint's expected value, `undefined` when it has none. */
  expected: unknown;
  /** The run's `scoring_config`. */
  config: unknown;
  /** Asks the run's judge model; 60 s timeout and one retry as for any model call. */
  complete(request: { messages: ChatMessage[]; temperature?: number }): Promise<{ text: string }>;
  signal: AbortSignal;
}

export interface Score {
  score: number | null;
  reason?: string;
}
