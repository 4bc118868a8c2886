/** One message of a conversation, as spans and datapoints hold it. `content` is text or the provider's own parts. */
export interface ChatMessage {
  role: string;
  content: unknown;
  /** Members some providers add: `name`, `tool_calls`, `tool_call_id` … */
  [member: string]: unknown;
}

/** A tool call in an answer, as the provider wrote its arguments. */
export interface ToolCall {
  id?: string | null;
  name: string;
  /** JSON text as OpenAI sends it, or the value as Anthropic and Ollama send it. */
  arguments: unknown;
}

/** Tokens of one call; a count the provider did not report is `null`, never guessed. */
export interface Usage {
  /** All input tokens, cached ones included. */
  inputTokens: number | null;
  outputTokens: number | null;
  /** The part of the input tokens that was read from the provider's cache. */
  cachedInputTokens: number | null;
  reasoningTokens: number | null;
}

export const UNKNOWN_USAGE: Usage = Object.freeze({
  inputTokens: null,
  outputTokens: null,
  cachedInputTokens: null,
  reasoningTokens: null,
});
