import type { RecordedAnswer } from '../provider.js';
import { embeddedErrorOf } from '../wire/error-message.js';
import { listOf, objectOf, textOf } from '../wire/lenient-json.js';
import { contentTextOf } from '../wire/messages.js';
import { readToolCalls } from './tool-calls.js';
import { readOpenAiUsage } from './usage.js';

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
