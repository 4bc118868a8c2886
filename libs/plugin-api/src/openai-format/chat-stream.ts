import { UNKNOWN_USAGE, type Usage } from '../chat.js';
import type { RecordedAnswer, StreamFrame, StreamReader } from '../provider.js';
import { embeddedErrorOf, errorMessageOf } from '../wire/error-message.js';
import { filledTextOf, objectOf, readJson, textOf } from '../wire/lenient-json.js';
import { contentTextOf } from '../wire/messages.js';
import { firstChoice, readOpenAiUsage } from './chat-answer.js';
import { ToolCallDeltas } from './tool-calls.js';

export const OPENAI_END_MARK = '[DONE]';

/** A reader for a chat completion stream. Usage comes only when the client asked for it (`stream_options`). */
export const readChatStream = (): StreamReader => new ChatStream();

class ChatStream implements StreamReader {
  started = false;
  ended = false;
  private model: string | null = null;
  private content: string | null = null;
  private refusal: string | null = null;
  private hasChoice = false;
  private finishReason: string | null = null;
  private usage: Usage = UNKNOWN_USAGE;
  private error: string | null = null;
  private readonly toolCalls = new ToolCallDeltas();

  push({ event, data }: StreamFrame): void {
    if (data.trim() === OPENAI_END_MARK) {
      this.ended = true;
      return;
    }
    const chunk = objectOf(readJson(data));
    this.model = filledTextOf(chunk['model']) ?? this.model;
    this.error = embeddedErrorOf(chunk) ?? (event === 'error' ? errorMessageOf(chunk) : null) ?? this.error;
    if (typeof chunk['usage'] === 'object' && chunk['usage'] !== null) this.usage = readOpenAiUsage(chunk['usage']);
    const choice = firstChoice(chunk['choices']);
    if (choice) this.pushChoice(choice);
  }

  answer(): RecordedAnswer {
    return {
      model: this.model,
      text: this.content ?? this.refusal ?? (this.hasChoice ? '' : null),
      finishReason: this.finishReason,
      toolCalls: this.toolCalls.toolCalls(),
      usage: this.usage,
      error: this.error,
    };
  }

  private pushChoice(choice: Readonly<Record<string, unknown>>): void {
    const delta = objectOf(choice['delta']);
    this.hasChoice = true;
    const content = contentTextOf(delta['content']) || null;
    const refusal = filledTextOf(delta['refusal']);
    // `reasoning_content` (DeepSeek, vLLM) and `reasoning` (OpenRouter) come before the text.
    const reasoning = filledTextOf(delta['reasoning_content']) ?? filledTextOf(delta['reasoning']);
    if (content !== null) this.content = (this.content ?? '') + content;
    if (refusal !== null) this.refusal = (this.refusal ?? '') + refusal;
    const called = this.toolCalls.add(delta);
    if (called || content !== null || refusal !== null || reasoning !== null) this.started = true;
    this.finishReason = textOf(choice['finish_reason']) ?? this.finishReason;
  }
}
