import type { Api } from '../api/client.js';
import type { EvalRunSummary, EvalItem, EvalStatistics, JudgedGate } from '../api/schema.js';
import type { Gate } from './gate.js';
import { Unset, type Scorer } from './scorer.js';

/** What evals need of a `Spandrel`, also one of another copy of the package. */
export interface EvalSpandrel {
  readonly api: Api;
  trace<T>(
    name: string,
    members: { tags: string[]; metadata: Record<string, unknown> },
    run: (trace: { readonly id: string }) => T,
  ): T;
  span<T>(name: string, members: { input: unknown }, run: (span: EvalSpan) => T): T;
  flush(options: { timeoutMs: number }): Promise<unknown>;
}

/** A span that is open. */
export interface EvalSpan {
  readonly id: string;
  set(members: { output: unknown }): unknown;
}

/** A test case: what the task gets, and what is right. */
export interface Item<Input = Unset, Expected = Unset, Metadata = Unset> {
  input: Input;
  expected?: Expected | undefined;
  metadata?: Metadata | undefined;
}

/** A conversation as a test case: the task gets the messages as its input. */
export interface ConversationItem<Input = Unset, Expected = Unset, Metadata = Unset> {
  /** A list of `{ role, content }`. */
  messages: Input;
  expected?: Expected | undefined;
  metadata?: Metadata | undefined;
}

/** A dataset that is made when there is none of the name; items that it has not yet are added. */
export interface DatasetSource<Input = Unset, Expected = Unset, Metadata = Unset> {
  name: string;
  description?: string | undefined;
  items: readonly (Item<Input, Expected, Metadata> | ConversationItem<Input, Expected, Metadata>)[];
}

/** What a task is to do. */
export interface TaskInput<Input, Metadata> {
  /** The datapoint's input, or its messages. */
  input: Input;
  /** The datapoint's own; `{}` where it has none. */
  metadata: Metadata;
  datapointId: string;
}

/** The try that a task is called for. */
export interface TaskContext {
  /** From 0 to below `repeats`. */
  repeat: number;
  /** Aborted when the time is up or the eval is stopped. */
  signal: AbortSignal;
}

/** An output with what it took. */
export interface Answer<Output> {
  output: Output;
  /** Tokens, in the words of the SDK or of any provider: `inputTokens`, `input_tokens`, `prompt_tokens` … */
  usage?: object | null | undefined;
  /** Dollars. Left out, it comes from the tokens and the model of `config`. */
  cost?: number | null | undefined;
}

/**
 * The program under test. Its output is scored as it is and kept as text: JSON of what is no text. An object whose members are `output`, and
 * nothing else but `usage` and `cost`, is taken for an {@link Answer}. A throw makes the sample a failed one.
 */
export type Task<Input, Returned, Metadata> = (
  sample: TaskInput<Input, Metadata>,
  context: TaskContext,
) => Returned | Promise<Returned>;

/** The output in what a task returns: that of an {@link Answer}, else all of it. */
export type OutputOf<Returned> = Returned extends { output: infer Output }
  ? [Exclude<keyof Returned, keyof Answer<unknown>>] extends [never]
    ? Output
    : Returned
  : Returned;

/** What the program under test is run with, for those who look at the run. */
export interface EvalConfig {
  /** Prices the tokens of answers without a cost. */
  model?: string | undefined;
  systemPrompt?: string | undefined;
  temperature?: number | undefined;
  maxTokens?: number | undefined;
}

/** What a definition and the options of its evaluation may both say. */
interface SharedOptions {
  /** Name of the run; when left out the dataset's, with branch and commit where they are known. */
  name?: string | undefined;
  /** How often each datapoint is tried, 1 to 100; 1 when left out. */
  repeats?: number | undefined;
  /** How many samples are worked on at once; 8 when left out. */
  concurrency?: number | undefined;
  /** What the run is to meet, such as `mean >= 0.9`, `short.pass_hat_k@3 >= 80%` or `no regression`. */
  gates?: readonly (string | Gate)[] | undefined;
  /** Members of the datapoints' metadata: the result has the numbers of each group of datapoints with the same values. */
  groupBy?: string | readonly string[] | undefined;
  /** A member of it: datapoints with the same value are one cluster of intervals and tests, those of gates too. */
  clusterBy?: string | undefined;
  /**
   * What gates compare with: the id of a run, or `latest[:k=v,…]`, the newest completed run of the dataset with this metadata that was
   * scored alike.
   */
  baseline?: string | undefined;
  /** Whether the eval does not pass where `latest` finds no run; else gates that compare are left out then. */
  requireBaseline?: boolean | undefined;
  /** Whether gates compare also with a run that was scored differently. */
  allowDifferentScoring?: boolean | undefined;
  /** Texts of the run by key. Commit and branch of the usual CI systems come by themselves. */
  metadata?: Readonly<Record<string, string>> | undefined;
  /** Where runs and traces go; by the `SPANDREL_*` variables when left out. */
  spandrel?: EvalSpandrel | undefined;
}

/** An eval of one's own code. */
export interface EvalDefinition<
  Input = Unset,
  Returned = Unset,
  Expected = Unset,
  Metadata = Unset,
> extends SharedOptions {
  /** Name or id of a dataset, or one to make or extend. The run is over all datapoints that the dataset has then. */
  dataset: string | DatasetSource<Input, Expected, Metadata>;
  task: Task<Input, Returned, Metadata>;
  /** At most 16. Without any, outputs are recorded and not scored. */
  scorers?: readonly Scorer<Input, OutputOf<Returned>, Expected, Metadata>[] | undefined;
  /** Longest time of one call of the task, and of one of a scorer; 120,000 when left out. `Infinity`: as long as it takes. */
  timeoutMs?: number | undefined;
  /** From 0 to 1: the pass score of scorers without one of their own. */
  passScore?: number | undefined;
  /** `all`, when left out: a sample passes when each scorer with a weight reaches its pass score; `mean`: when their mean does. */
  passMode?: 'all' | 'mean' | undefined;
  config?: EvalConfig | undefined;
  /** What results and judges may cost together; the run is stopped before it is more. */
  maxCostUsd?: number | undefined;
}

/** How far an eval is, in samples. */
export interface EvalProgress {
  /** Durable on the server, of an earlier process too. */
  done: number;
  /** How many of them failed. */
  failed: number;
  total: number;
}

/**
 * How a definition is evaluated; members that a definition has too take the place of its own, and metadata is laid over its
 * own key by key.
 */
export interface EvaluateOptions extends SharedOptions {
  /** Id of a run that was begun and not finished: what it has not yet is done, the rest stays. Its `repeats` cannot change. */
  resume?: string | undefined;
  /** Stops the eval: no further result is waited for, and what the signal was aborted with is thrown. */
  signal?: AbortSignal | undefined;
  /** What becomes of the run then: it is cancelled unless it is to be kept, so that it can be resumed. */
  onAbort?: 'cancel' | 'keep' | undefined;
  /** Called once the run is there. */
  onStarted?: ((run: EvalRunSummary) => void) | undefined;
  /** Called whenever results have become durable. */
  onProgress?: ((progress: EvalProgress) => void) | undefined;
}

/** What the server says of an eval that is over. */
export interface EvalFacts {
  run: EvalRunSummary;
  /** The server's numbers, beside the baseline where there is one. */
  statistics: EvalStatistics;
  /** With what was found, and whether they hold. */
  gates: JudgedGate[];
  /** Whether the run was completed and all gates hold; without gates, whether not all of its datapoints failed. */
  passed: boolean;
  /** Undefined where there was none to compare with. */
  baselineRunId: string | undefined;
  /** Gates that were left out, in words: `latest` found no run to compare with. */
  skippedGates: string[];
  /** Whether `resume` named a run that was over: nothing was tried, and all of this is about what was there. */
  wasOver?: boolean | undefined;
  /** Why `latest` found none; undefined where there is a baseline, or none was asked for. */
  missingBaseline: string | undefined;
  /** When it did not pass: datapoints that failed, and those with the lowest scores; ten at most. */
  worst: EvalItem[];
}
