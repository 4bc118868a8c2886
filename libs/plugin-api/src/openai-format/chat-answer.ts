import type { RecordedAnswer, RecordedChoice } from '../provider.js';
import { embeddedErrorOf } from '../wire/error-message.js';
import { countOf, filledTextOf, listOf, objectOf, textOf, type JsonObject } from '../wire/lenient-json.js';
import { contentTextOf } from '../wire/messages.js';
import { reasoningOf, transcriptOf } from '../wire/reasoning.js';
import { readToolCalls } from './tool-calls.js';
import { readUsageOf } from './usage.js';

/** Reads a whole answer of chat completions, or of the older completions, whose choices have a `text`. */
export function readChatAnswer(body: unknown): RecordedAnswer {
  const answer = objectOf(body);
  const choices = choicesOf(answer['choices']).map(({ choice }) => choice);
  return answerOfChoices(choices.map(readChoice), {
    model: textOf(answer['model']),
    usage: readUsageOf(answer),
    error: embeddedErrorOf(body) ?? errorOfChoices(choices),
  });
}

/** The error that a choice reports of itself (OpenRouter), else `null`. */
export function errorOfChoices(choices: readonly JsonObject[]): string | null {
  const failed = choices.find(({ error }) => Boolean(error));
  return failed === undefined ? null : embeddedErrorOf({ error: failed['error'] });
}

/** An answer by its choices: the first is the answer's, and where there are several, all are listed. */
export function answerOfChoices(
  choices: RecordedChoice[],
  rest: Pick<RecordedAnswer, 'model' | 'usage' | 'error'>,
): RecordedAnswer {
  return {
    ...(choices[0] ?? { text: null, finishReason: null, toolCalls: [] }),
    ...rest,
    ...(choices.length > 1 && { choices }),
  };
}

/** The choices in the order of their `index`, which is their position where they have none. */
export const choicesOf = (choices: unknown): { index: number; choice: JsonObject }[] =>
  listOf(choices)
    .map((each, position) => ({ index: countOf(objectOf(each)['index']) ?? position, choice: objectOf(each) }))
    .sort((a, b) => a.index - b.index);

/**
 * A spoken answer's text is its transcript, and a refusal is the text where there is no other; tool calls alone have the
 * empty text, a choice with neither has none.
 */
function readChoice(choice: JsonObject): RecordedChoice {
  const message = objectOf(choice['message']);
  const toolCalls = readToolCalls(message);
  const content = contentTextOf(message['content'] ?? choice['text']);
  const reasoning = reasoningOf(message);
  return {
    text:
      content || transcriptOf(message) || textOf(message['refusal']) || (content ?? (toolCalls.length > 0 ? '' : null)),
    finishReason: filledTextOf(choice['finish_reason']),
    toolCalls,
    ...(reasoning !== null && { reasoning }),
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
