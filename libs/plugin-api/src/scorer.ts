import type { ChatMessage } from './chat.js';
import type { PluginLogger } from './deps.js';
import type { AnswerSchema } from './provider.js';

/** What a scorer plugin gets in `setup`. */
export interface ScorerDeps {
  logger: PluginLogger;
}

/** A scoring strategy of evaluations: how good is this output? `Config` is the plugin's own, as its schema makes it. */
export interface Scorer<Config = unknown> {
  /** True when a datapoint without an expected value cannot be scored; such an item fails before `score` is called. */
  readonly needsExpected: boolean;
  /**
   * True when an output is scored beside the answer of another run, the `baseline_run_id` of its own. A run without one is refused at
   * its start; an item to which the other run has no answer fails before `score` is called. Its scores are above 0.5 where the output
   * is the better one, below where the other one is, and 0.5 where they are alike: statistics count them so.
   */
  readonly needsBaseline?: boolean;
  /**
   * True when `score` always asks the judge by `complete`; not needed for it to ask. A run that has no judge for such a scorer, as
   * an external one may, is refused at its start instead of failing sample by sample.
   */
  readonly asksJudge?: boolean;
  /**
   * True when `score` asks for vectors by `embed`: its judge is then a model of embeddings, which the run has to name. A run without
   * one, or whose judge's provider makes no vectors, is refused at its start.
   */
  readonly embeds?: boolean;
  /**
   * True when `score` may compute for long by itself. It then runs in a thread, for 10 s at most, and can ask nobody: `complete` and
   * `embed` throw there. Other scorers share the thread that answers everybody, and must be quick between their calls.
   */
  readonly inThread?: boolean;
  /**
   * What keeps a run from using a config that the schema takes, such as a member that only runs must have. Called when a run starts,
   * which is refused with the faults; `path` is that of the member in the config, `''` for all of it.
   */
  configFaults?(config: Config): readonly ScorerConfigFault[];
  /** What keeps a run from giving its judge this rubric (`judge.rubric`), in words; `undefined`: nothing. Called when a run starts. */
  rubricFault?(rubric: string): string | undefined;
  /**
   * True when its scores are grades, with much between 0 and 1: a sample passes at 0.5 then, unless the run says otherwise. Left out,
   * a score is right or wrong, and a sample passes at 1.
   */
  readonly isGraded?: boolean;
  /**
   * Scores one output. May be called many times at once; must stop when `signal` aborts.
   * @returns `score` 0 to 1, or `null` when the strategy gives none.
   * @throws anything: the item fails with the scorer's name and the message, the run goes on.
   */
  score(sample: ScoreSample<Config>): Promise<Score> | Score;
}

/** What is wrong with a member of a scorer's config. */
export interface ScorerConfigFault {
  path: string;
  message: string;
}

export interface ScoreSample<Config = unknown> {
  /** The datapoint's input: a text, other JSON, or its messages. */
  input: unknown;
  /** The model's output text. */
  output: string;
  /** The datapoint's expected value, `undefined` when it has none. */
  expected: unknown;
  /** What the baseline of the run answered; `undefined` when the run has none, or that has no answer to this datapoint. */
  baseline?: string | undefined;
  /** The plugin's config of yaml with the run's `scoring_config` laid over it, checked and completed by its schema. */
  config: Config;
  /** How long the model took for the output, in ms: its successful attempt alone. `null` when that is not known. */
  latencyMs: number | null;
  /** What the model's call cost, in dollars, without that of judges. `null` when that is not known. */
  cost: number | null;
  /** The run's `config.judge.rubric`, for scorers that ask a judge; `undefined` when it has none. */
  rubric: string | undefined;
  /**
   * Asks the run's judge model; 60 s timeout and one retry as for any model call. Its tokens and cost are kept with the
   * item. The answer is asked for by `schema` where the provider and the model take one; it may be any text nevertheless.
   */
  complete(request: {
    messages: ChatMessage[];
    temperature?: number;
    schema?: AnswerSchema;
  }): Promise<{ text: string }>;
  /**
   * Vectors of texts, none of them empty, by the connection and the model of the run's judge: one a text, in order, all of one length.
   * Limits, tokens and cost as for `complete`.
   */
  embed(request: { texts: readonly string[] }): Promise<{ vectors: number[][] }>;
  signal: AbortSignal;
}

export interface Score {
  score: number | null;
  reason?: string;
  /** SHA-256, hex, of the prompt template and rubric a judge was asked with, so that runs judged alike can be found. */
  promptHash?: string;
  /** The answer that a judge preferred in each order: statistics show by it how much the place of an answer counts. */
  preference?: Preference;
}

/** The better answer: that of the baseline, the output that is scored, or neither. */
export type Preferred = 'baseline' | 'output' | 'neither';

/** The answer that a judge preferred in each of both orders. */
export interface Preference {
  baselineFirst: Preferred;
  outputFirst: Preferred;
}
