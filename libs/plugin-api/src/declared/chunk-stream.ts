import type { Usage } from '../chat.js';
import { OPENAI_END_MARK } from '../openai-format/chat-stream.js';
import type { RecordedAnswer, StreamFrame, StreamReader } from '../provider.js';
import { readExactJson } from '../wire/lenient-json.js';
import { answerOf, NOTHING_ANSWERED } from './answer-of.js';
import { viewOf, type DeclaredEndpoint } from './declared-endpoint.js';

/** Puts together what a declared endpoint reads of the frames of a stream. `[DONE]` ends one, no matter who sends it. */
export class ChunkStream implements StreamReader {
  started = false;
  ended = false;
  private read: RecordedAnswer = NOTHING_ANSWERED;

  constructor(private readonly endpoint: DeclaredEndpoint) {}

  push({ event, data }: StreamFrame): void {
    this.ended ||= data.trim() === OPENAI_END_MARK;
    const read = this.endpoint.readChunk?.(viewOf(readExactJson(data)), event);
    if (read === undefined) return;
    const chunk = answerOf(read);
    this.ended ||= read.ended === true;
    this.started ||= Boolean(chunk.text) || chunk.toolCalls.length > 0;
    this.read = {
      model: chunk.model ?? this.read.model,
      text: chunk.text === null ? this.read.text : (this.read.text ?? '') + chunk.text,
      finishReason: chunk.finishReason ?? this.read.finishReason,
      toolCalls: [...this.read.toolCalls, ...chunk.toolCalls],
      usage: laterUsage(this.read.usage, chunk.usage),
      error: chunk.error ?? this.read.error,
    };
  }

  answer(): RecordedAnswer {
    return { ...this.read, toolCalls: [...this.read.toolCalls] };
  }
}

const laterUsage = (before: Usage, later: Usage): Usage => ({
  inputTokens: later.inputTokens ?? before.inputTokens,
  outputTokens: later.outputTokens ?? before.outputTokens,
  cachedInputTokens: later.cachedInputTokens ?? before.cachedInputTokens,
  reasoningTokens: later.reasoningTokens ?? before.reasoningTokens,
});
