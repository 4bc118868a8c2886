import type { RecordedAnswer } from '../provider.js';
import { embeddedErrorOf } from '../wire/error-message.js';
import { listOf, objectOf, textOf, countOf } from '../wire/lenient-json.js';
import { contentTextOf } from '../wire/messages.js';
import { readToolCalls } from './tool-calls.js';
import { UNKNOWN_USAGE, type Usage } from '../chat.js';

/**
 * Reads a whole chat completion answer. A refusal is the answer's text when there is no other; tool calls alone have the
 * empty text, an answer with neither has none.
 */
export function readChatAnswer(body: unknown): RecordedAnswer {
  const answer = objectOf(body);
  const choice = firstChoice(answer['choices']);
  const message = objectOf(choice?.['message']);
  const toolCalls = readToolCalls(message);
  return {
    model: textOf(answer['model']),
    text: contentTextOf(message['content']) ?? textOf(message['refusal']) ?? (toolCalls.length > 0 ? '' : null),
    finishReason: textOf(choice?.['finish_reason']),
    toolCalls,
    usage: readOpenAiUsage(answer['usage']),
    error: embeddedErrorOf(body),
  };
}

/** The choice with index 0; answers with `n` > 1 are recorded by their first choice only. */
export function firstChoice(choices: unknown): Readonly<Record<string, unknown>> | undefined {
  return listOf(choices)
    .map(objectOf)
    .find((choice) => (choice['index'] ?? 0) === 0);
}

/** Tokens of a chat completion, completion or embedding answer (`usage`); all unknown when there is none. */
export function readOpenAiUsage(usage: unknown): Usage {
  if (typeof usage !== 'object' || usage === null) return UNKNOWN_USAGE;
  const counts = objectOf(usage);
  return {
    inputTokens: countOf(counts['prompt_tokens']),
    outputTokens: countOf(counts['completion_tokens']),
    cachedInputTokens: countOf(objectOf(counts['prompt_tokens_details'])['cached_tokens']),
    reasoningTokens: countOf(objectOf(counts['completion_tokens_details'])['reasoning_tokens']),
  };
}

/** The error body that OpenAI client libraries read. */
export function openAiErrorBody(status: number, message: string): unknown {
  const [type, code] = kindOf(status);
  return { error: { message, type, param: null, code } };
}

function kindOf(status: number): [type: string, code: string | null] {
  if (status === 401) return ['invalid_request_error', 'invalid_api_key'];
  if (status === 429) return ['requests', 'rate_limit_exceeded'];
  if (status >= 500) return ['server_error', null];
  return ['invalid_request_error', null];
}
