import type { Endpoint, RecordedAnswer, StreamFrame, StreamReader } from '../provider.js';
import { embeddedErrorOf } from '../wire/error-message.js';
import { filledTextOf, objectOf, readJson, textOf, without } from '../wire/lenient-json.js';
import { firstChoice, readOpenAiUsage } from './chat-answer.js';
import { OPENAI_END_MARK } from './chat-stream.js';

/** The older completions endpoint; its prompt is recorded as sent. */
export const completionsEndpoint: Endpoint = {
  name: 'completions',
  framing: 'sse',
  usageOption: 'stream_options',
  readRequest(body) {
    const request = objectOf(body);
    return {
      model: textOf(request['model']),
      input: request['prompt'] ?? null,
      streaming: request['stream'] === true,
      parameters: without(request, 'model', 'prompt'),
    };
  },
  readAnswer,
  readStream: () => new CompletionStream(),
};

function readAnswer(body: unknown): RecordedAnswer {
  const answer = objectOf(body);
  const choice = firstChoice(answer['choices']);
  return {
    model: textOf(answer['model']),
    text: choice ? (textOf(choice['text']) ?? '') : null,
    finishReason: textOf(choice?.['finish_reason']),
    toolCalls: [],
    usage: readOpenAiUsage(answer['usage']),
    error: embeddedErrorOf(body),
  };
}

/** Every chunk has the form of a whole answer with a piece of its text. */
class CompletionStream implements StreamReader {
  started = false;
  ended = false;
  private read: RecordedAnswer = readAnswer(undefined);

  push({ data }: StreamFrame): void {
    if (data.trim() === OPENAI_END_MARK) {
      this.ended = true;
      return;
    }
    const chunk = readAnswer(readJson(data));
    const hasUsage = chunk.usage.inputTokens !== null || chunk.usage.outputTokens !== null;
    this.started ||= filledTextOf(chunk.text) !== null;
    this.read = {
      model: chunk.model ?? this.read.model,
      text: chunk.text === null ? this.read.text : (this.read.text ?? '') + chunk.text,
      finishReason: chunk.finishReason ?? this.read.finishReason,
      toolCalls: [],
      usage: hasUsage ? chunk.usage : this.read.usage,
      error: chunk.error ?? this.read.error,
    };
  }

  answer(): RecordedAnswer {
    return this.read;
  }
}
