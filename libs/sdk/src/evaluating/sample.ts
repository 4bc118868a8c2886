import type { DatapointKind } from '../api/schema.js';

/** A try of a datapoint that is to be made. */
export interface Sample {
  datapointId: string;
  /** From 0. */
  repeat: number;
  /** The datapoint as the run's snapshot has it. */
  kind: DatapointKind;
}

/** What the task and the scorers get of a datapoint. */
export interface DatapointFacts {
  input: unknown;
  /** Undefined where nothing is expected. */
  expected: unknown;
  metadata: Record<string, unknown>;
}

export function factsOf(kind: DatapointKind): DatapointFacts {
  if ('Generic' in kind) {
    const { input, expected_output: expected, metadata } = kind.Generic;
    return { input, expected: expected ?? undefined, metadata: metadata ?? {} };
  }
  const { messages, expected, metadata } = kind.LlmConversation;
  return { input: messages, expected: expected ?? undefined, metadata: (metadata ?? {}) as Record<string, unknown> };
}
