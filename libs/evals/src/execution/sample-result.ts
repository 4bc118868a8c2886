import type { ScorerResult } from '@spandrel/contract';

/** What asking judges took for one sample, kept apart from the model's own use. */
export interface JudgeUse {
  /** `null`: none was asked. */
  model: string | null;
  tokens: number | null;
  /** Cost in dollars. */
  cost: number | null;
}

/** What became of a sample: one try of a datapoint. */
export interface SampleResult {
  output: string | null;
  /** The score by all scorers together. */
  score: number | null;
  reason: string | null;
  latencyMs: number | null;
  tokens: number | null;
  /** Cost in dollars. */
  cost: number | null;
  /** `null`: the model call and the scoring succeeded. */
  error: string | null;
  attempts: number;
  judge: JudgeUse;
  promptHash: string | null;
  /** What each scorer said, by name; `null`: what the other members say of the only one. */
  scores: Record<string, ScorerResult> | null;
  /** The trace of its calls, where one was written. */
  traceId: string | null;
  /** What the caller of an external run said; `metadata` as JSON. */
  spanId: string | null;
  metadata: string | null;
  resultHash: string | null;
}

/** A result that nothing is known of. */
export const NO_RESULT = {
  output: null,
  score: null,
  reason: null,
  latencyMs: null,
  tokens: null,
  cost: null,
  promptHash: null,
  scores: null,
  traceId: null,
  spanId: null,
  metadata: null,
  resultHash: null,
} as const;
