import type { Unsaid } from './unsaid.js';

/** What a scorer is asked about. */
export interface ScorerInput<Input = Unsaid, Output = Unsaid, Expected = Unsaid, Metadata = Unsaid> {
  input: Input;
  output: Output;
  /** `undefined` where the datapoint expects nothing. */
  expected: Expected;
  metadata: Metadata;
}

/** A score with its name and reason, as scorers of autoevals give it, too. */
export interface NamedScore {
  /** Counts where the function has no name itself. */
  name?: string | undefined;
  /** From 0 to 1; `null` for none. */
  score: number | boolean | null;
  reason?: string | null | undefined;
  /** `rationale`, a text, is the reason where there is no other. */
  metadata?: object | null | undefined;
}

export type ScorerAnswer = number | boolean | null | NamedScore;

/** Scores an output in this process. A throw makes the sample a failed one. */
export type ScorerFunction<Input = Unsaid, Output = Unsaid, Expected = Unsaid, Metadata = Unsaid> = (
  sample: ScorerInput<Input, Output, Expected, Metadata>,
) => ScorerAnswer | Promise<ScorerAnswer>;

/** What every form of a scorer may say. */
export interface ScorerOptions {
  /** 0 or more, 1 when left out; 0 keeps the scorer out of the combined score. */
  weight?: number | undefined;
  /** From 0 to 1; the eval's when left out. */
  passScore?: number | undefined;
}

/** A function that scores, under a name of its own. */
export interface OwnScorer<
  Input = Unsaid,
  Output = Unsaid,
  Expected = Unsaid,
  Metadata = Unsaid,
> extends ScorerOptions {
  name: string;
  score: ScorerFunction<Input, Output, Expected, Metadata>;
}

/** The model that a scorer of the server asks. */
export interface Judge {
  /** Id of a provider connection of the server. */
  connectionId?: string | undefined;
  /** The connection's default model when left out. */
  model?: string | undefined;
  /** What is good; the scorer's own when left out. */
  rubric?: string | undefined;
}

/** What a scorer of the server takes. */
export interface ServerScorerOptions extends ScorerOptions {
  /** The name of the scoring when left out. */
  name?: string | undefined;
  judge?: Judge | undefined;
  /** Checked by the server: `scoring_config`. */
  config?: Readonly<Record<string, unknown>> | undefined;
}

/** A scorer that runs on the server. */
export interface ServerScorer extends ServerScorerOptions {
  /** `ExactMatch`, `Contains`, `LlmJudge`, or the name of a scoring plugin of the server. */
  scoring: string;
}

export type Scorer<Input = Unsaid, Output = Unsaid, Expected = Unsaid, Metadata = Unsaid> =
  | ScorerFunction<Input, Output, Expected, Metadata>
  | OwnScorer<Input, Output, Expected, Metadata>
  | ServerScorer;

/**
 * A scorer that runs on the server, when a result has arrived there: `server('LlmJudge', { judge: { connectionId, rubric } })`.
 * @param scoring `ExactMatch`, `Contains`, `LlmJudge`, or the name of a scoring plugin of the server.
 */
export const server = (scoring: string, options: ServerScorerOptions = {}): ServerScorer => ({ ...options, scoring });

/** A scorer of this process under a name, which an arrow function has not: `scorer('short', ({ output }) => …, { weight: 0 })`. */
export function scorer<Input = Unsaid, Output = Unsaid, Expected = Unsaid, Metadata = Unsaid>(
  name: string,
  score: ScorerFunction<Input, Output, Expected, Metadata>,
  options: ScorerOptions = {},
): OwnScorer<Input, Output, Expected, Metadata> {
  return { ...options, name, score };
}
