import { UNKNOWN_USAGE, type ToolCall, type Usage } from '../chat.js';
import type { RecordedAnswer } from '../provider.js';
import { embeddedErrorOf } from '../wire/error-message.js';
import { countOf, filledTextOf, listOf, objectOf, textOf, type JsonObject } from '../wire/lenient-json.js';

/** Reads a response object of the Responses API, whole or as far as it has come. */
export function readResponse(body: unknown): RecordedAnswer {
  const response = objectOf(body);
  const items = listOf(response['output']).map(objectOf);
  return {
    model: textOf(response['model']),
    text: Array.isArray(response['output']) ? outputText(items) : null,
    finishReason: readFinishReason(response),
    toolCalls: items.flatMap(readToolCall),
    usage: readUsage(response['usage']),
    error: embeddedErrorOf(body),
  };
}

/** Text of all messages, joined as the official client does (`output_text`); a refusal when there is no text. */
function outputText(items: JsonObject[]): string {
  const parts = items.flatMap((item) => (item['type'] === 'message' ? listOf(item['content']).map(objectOf) : []));
  const joined = (member: string) => parts.map((part) => textOf(part[member]) ?? '').join('');
  return joined('text') || joined('refusal');
}

/** The reason of an incomplete response, else its final status; `null` while it runs. */
function readFinishReason(response: JsonObject): string | null {
  const status = textOf(response['status']);
  if (status === 'in_progress' || status === 'queued') return null;
  return textOf(objectOf(response['incomplete_details'])['reason']) ?? status;
}

/** Calls of the client's functions and of hosted tools alike; a hosted tool without a name goes by its type. */
function readToolCall(item: JsonObject): ToolCall[] {
  const type = textOf(item['type']) ?? '';
  if (!type.endsWith('_call')) return [];
  return [
    {
      id: filledTextOf(item['call_id']) ?? textOf(item['id']),
      name: filledTextOf(item['name']) ?? type,
      arguments: item['arguments'] ?? item['input'] ?? item['action'] ?? null,
    },
  ];
}

function readUsage(usage: unknown): Usage {
  if (typeof usage !== 'object' || usage === null) return UNKNOWN_USAGE;
  const counts = objectOf(usage);
  return {
    inputTokens: countOf(counts['input_tokens']),
    outputTokens: countOf(counts['output_tokens']),
    cachedInputTokens: countOf(objectOf(counts['input_tokens_details'])['cached_tokens']),
    reasoningTokens: countOf(objectOf(counts['output_tokens_details'])['reasoning_tokens']),
  };
}
