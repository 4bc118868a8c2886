import { laterUsage, type ToolCall } from '../chat.js';
import { OPENAI_END_MARK } from '../openai-format/chat-stream.js';
import type { RecordedAnswer, StreamFrame, StreamReader } from '../provider.js';
import { errorOfFrame } from '../wire/error-message.js';
import { readExactJson } from '../wire/lenient-json.js';
import { answerOf, NOTHING_ANSWERED } from './answer-of.js';
import { viewOf, type DeclaredEndpoint } from './declared-endpoint.js';

/** Puts together what a declared endpoint reads of the frames of a stream. `[DONE]` ends one, no matter who sends it. */
export class ChunkStream implements StreamReader {
  started = false;
  ended = false;
  private read: RecordedAnswer = NOTHING_ANSWERED;
  private readonly toolCalls: ToolCall[] = [];

  constructor(private readonly endpoint: DeclaredEndpoint) {}

  push(frame: StreamFrame): void {
    const { event, data } = frame;
    this.ended ||= data.trim() === OPENAI_END_MARK;
    const parsed = readExactJson(data);
    const read = this.endpoint.readChunk?.(viewOf(parsed), event);
    if (read === undefined) return;
    const chunk = answerOf(read, () => errorOfFrame(frame, parsed));
    this.ended ||= read.ended === true;
    this.started ||= Boolean(chunk.text) || chunk.reasoning !== undefined || chunk.toolCalls.length > 0;
    const reasoning = (this.read.reasoning ?? '') + (chunk.reasoning ?? '');
    this.toolCalls.push(...chunk.toolCalls);
    this.read = {
      model: chunk.model ?? this.read.model,
      text: chunk.text === null ? this.read.text : (this.read.text ?? '') + chunk.text,
      finishReason: chunk.finishReason ?? this.read.finishReason,
      toolCalls: this.toolCalls,
      ...(reasoning !== '' && { reasoning }),
      usage: laterUsage(this.read.usage, chunk.usage),
      error: chunk.error ?? this.read.error,
    };
  }

  answer(): RecordedAnswer {
    return { ...this.read, toolCalls: [...this.read.toolCalls] };
  }
}
