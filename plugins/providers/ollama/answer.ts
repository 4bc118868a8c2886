import {
  contentTextOf,
  countOf,
  embeddedErrorOf,
  filledTextOf,
  listOf,
  objectOf,
  textOf,
  usageOf,
  type RecordedAnswer,
  type ToolCall,
} from '@spandrel/plugin-api';

/** Reads an answer of chat (`message`), generate (`response`) or embed (no text); a stream's lines have the same form. */
export function readOllamaAnswer(body: unknown): RecordedAnswer {
  const answer = objectOf(body);
  const message = objectOf(answer['message']);
  const toolCalls = listOf(message['tool_calls']).map(readToolCall);
  const reasoning = filledTextOf(message['thinking']) ?? filledTextOf(answer['thinking']);
  return {
    model: textOf(answer['model']),
    text: contentTextOf(message['content']) ?? textOf(answer['response']) ?? (toolCalls.length > 0 ? '' : null),
    finishReason: filledTextOf(answer['done_reason']),
    toolCalls,
    ...(reasoning !== null && { reasoning }),
    usage: usageOf({ inputTokens: countOf(answer['prompt_eval_count']), outputTokens: countOf(answer['eval_count']) }),
    error: embeddedErrorOf(body),
  };
}

function readToolCall(value: unknown): ToolCall {
  const { id, function: called } = objectOf(value);
  return {
    id: textOf(id),
    name: textOf(objectOf(called)['name']) ?? '',
    arguments: objectOf(called)['arguments'] ?? null,
  };
}
