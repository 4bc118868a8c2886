export interface DatapointMessage {
  role: string;
  content?: unknown;
  [member: string]: unknown;
}

export interface GenericDatapoint {
  input: unknown;
  expected_output?: unknown;
  actual_output?: unknown;
  /** 0 to 1. */
  score?: number | null;
  metadata?: Record<string, unknown> | null;
}

export interface ConversationDatapoint {
  messages: DatapointMessage[];
  expected?: string | null;
  metadata?: Record<string, unknown> | null;
}

/** What a datapoint holds: exactly one of the two variants (docs/spec/datapoints.md#the-kind-of-a-datapoint). */
export type DatapointKind = { Generic: GenericDatapoint } | { LlmConversation: ConversationDatapoint };
