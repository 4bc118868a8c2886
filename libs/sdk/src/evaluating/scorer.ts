import { firstDifference, textOf } from './json.js';

/** What a scorer is asked about. */
export interface ScorerInput<Input = Unset, Output = Unset, Expected = Unset, Metadata = Unset> {
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
export type ScorerFunction<Input = Unset, Output = Unset, Expected = Unset, Metadata = Unset> = (
  sample: ScorerInput<Input, Output, Expected, Metadata>,
) => ScorerAnswer | Promise<ScorerAnswer>;

/** What every form of a scorer may say. */
export interface ScorerOptions {
  /** 0 or more, 1 when left out; 0 keeps the scorer out of the combined score. */
  weight?: number | undefined;
  /** From 0 to 1: a sample passes at this score or above. The eval's when left out, else 0.5 of a judge and 1 of others. */
  passScore?: number | undefined;
}

/** A function that scores, under a name of its own. */
export interface OwnScorer<Input = Unset, Output = Unset, Expected = Unset, Metadata = Unset> extends ScorerOptions {
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
  /** 0 when left out; `null`: the judge is asked without one. */
  temperature?: number | null | undefined;
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

export type Scorer<Input = Unset, Output = Unset, Expected = Unset, Metadata = Unset> =
  | ScorerFunction<Input, Output, Expected, Metadata>
  | OwnScorer<Input, Output, Expected, Metadata>
  | ServerScorer;

/**
 * A scorer that runs on the server, when a result has arrived there: `server('LlmJudge', { judge: { connectionId, rubric } })`.
 * @param scoring `ExactMatch`, `Contains`, `LlmJudge`, or the name of a scoring plugin of the server.
 */
export const server = (scoring: string, options: ServerScorerOptions = {}): ServerScorer => ({ ...options, scoring });

/** A scorer of this process under a name, which an arrow function has not: `scorer('short', ({ output }) => …, { weight: 0 })`. */
export function scorer<Input = Unset, Output = Unset, Expected = Unset, Metadata = Unset>(
  name: string,
  score: ScorerFunction<Input, Output, Expected, Metadata>,
  options: ScorerOptions = {},
): OwnScorer<Input, Output, Expected, Metadata> {
  return { ...options, name, score };
}

/** Functions of this file, which are too quick and too plain to be recorded as spans. */
const BUILT_IN = new WeakSet<object>([exactMatch, contains, jsonEqual, matches]);

/** Whether a function is one of the scorers that the package brings. */
export const isBuiltIn = (score: object): boolean => BUILT_IN.has(score);

/** The output is the expected value: the same text, case included, or the same JSON however it is written. */
export function exactMatch({ output, expected }: ScorerInput): NamedScore {
  const wanted = requireExpected(expected, 'exactMatch');
  if (textOf(output) === textOf(wanted)) return { score: 1 };
  if (typeof wanted === 'string') return { score: 0 };
  const read = typeof output === 'string' ? parsed(output) : { value: toJson(output) };
  return { score: read && firstDifference(read.value, toJson(wanted)) === undefined ? 1 : 0 };
}

/** The output has the expected text in it, in any case. */
export function contains({ output, expected }: ScorerInput): NamedScore {
  const wanted = textOf(requireExpected(expected, 'contains')) ?? '';
  return { score: (textOf(output) ?? '').toLowerCase().includes(wanted.toLowerCase()) ? 1 : 0 };
}

/** The output is the expected JSON, whatever the order of its members; texts are read as JSON first. The reason says where it differs. */
export function jsonEqual({ output, expected }: ScorerInput): NamedScore {
  const wanted = requireExpected(expected, 'jsonEqual');
  const right = typeof wanted === 'string' ? (parsed(wanted) ?? { value: wanted }) : { value: toJson(wanted) };
  const read = typeof output === 'string' ? parsed(output) : { value: toJson(output) };
  // A text that is expected, and not JSON, is a JSON string.
  if (!read) return output === right.value ? { score: 1 } : { score: 0, reason: 'the output is not JSON' };
  const difference = firstDifference(read.value, right.value);
  return difference === undefined ? { score: 1 } : { score: 0, reason: difference };
}

/**
 * The output matches a regular expression: the given one (`matches(/^\d+$/)`), else that which the datapoint expects, written `^\d+$` or
 * `/^\d+$/i`.
 */
export function matches(pattern: RegExp): ScorerFunction;
export function matches(sample: ScorerInput): NamedScore;
export function matches(given: RegExp | ScorerInput): ScorerFunction | NamedScore {
  if (!(given instanceof RegExp)) return matched(given.output, readPattern(requireExpected(given.expected, 'matches')));
  const score: ScorerFunction = ({ output }) => matched(output, given);
  Object.defineProperty(score, 'name', { value: 'matches' });
  BUILT_IN.add(score);
  return score;
}

/** `g` and `y` would make the answer depend on the one before. */
const matched = (output: unknown, { source, flags }: RegExp): NamedScore => ({
  score: new RegExp(source, flags.replace(/[gy]/g, '')).test(textOf(output) ?? '') ? 1 : 0,
});

function readPattern(expected: unknown): RegExp {
  const text = textOf(expected) ?? '';
  const literal = /^\/(.+)\/([a-z]*)$/s.exec(text);
  return literal ? new RegExp(literal[1]!, literal[2]) : new RegExp(text);
}

function requireExpected(expected: unknown, name: string): unknown {
  if (expected === undefined || expected === null)
    throw new Error(`the datapoint expects nothing, which ${name} needs`);
  return expected;
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** The value as JSON has it: without members that are undefined, dates as texts. */
const toJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null') as unknown;

/** What a definition may hold where nobody said more: the types of a dataset that the server keeps are not known here. */
// oxlint-disable-next-line typescript/no-explicit-any -- `unknown` would refuse every task that takes a typed input
export type Unset = any;
