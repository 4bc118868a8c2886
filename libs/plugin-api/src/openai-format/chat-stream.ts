import { laterUsage, UNKNOWN_USAGE, type Usage } from '../chat.js';
import type { RecordedAnswer, RecordedChoice, StreamFrame, StreamReader } from '../provider.js';
import { errorOfFrame } from '../wire/error-message.js';
import { filledTextOf, objectOf, readJson, type JsonObject } from '../wire/lenient-json.js';
import { contentTextOf } from '../wire/messages.js';
import { reasoningOf, transcriptOf } from '../wire/reasoning.js';
import { answerOfChoices, choicesOf, errorOfChoices } from './chat-answer.js';
import { ToolCallDeltas } from './tool-calls.js';
import { readUsageOf } from './usage.js';

export const OPENAI_END_MARK = '[DONE]';

/**
 * A reader for a stream of chat completions, or of the older completions. Usage comes only when the client asked for it
 * (`stream_options`).
 */
export const readChatStream = (): StreamReader => new ChatStream();

class ChatStream implements StreamReader {
  started = false;
  ended = false;
  private model: string | null = null;
  private usage: Usage = UNKNOWN_USAGE;
  private error: string | null = null;
  private readonly choices = new Map<number, ChoicePieces>();

  push(frame: StreamFrame): void {
    if (frame.data.trim() === OPENAI_END_MARK) {
      this.ended = true;
      return;
    }
    const parsed = readJson(frame.data);
    const chunk = objectOf(parsed);
    this.model = filledTextOf(chunk['model']) ?? this.model;
    const usage = readUsageOf(chunk);
    if (usage !== UNKNOWN_USAGE) this.usage = laterUsage(this.usage, usage);
    const choices = choicesOf(chunk['choices']);
    for (const { index, choice } of choices) this.pushChoice(index, choice);
    this.error = errorOfFrame(frame, parsed) ?? errorOfChoices(choices.map(({ choice }) => choice)) ?? this.error;
  }

  answer(): RecordedAnswer {
    const { model, usage, error } = this;
    const choices = [...this.choices].sort(([a], [b]) => a - b).map(([, pieces]) => pieces.choice());
    return answerOfChoices(choices, { model, usage, error });
  }

  private pushChoice(index: number, choice: JsonObject): void {
    const pieces = this.choices.get(index) ?? new ChoicePieces();
    this.choices.set(index, pieces);
    if (pieces.push(choice)) this.started = true;
  }
}

/** One choice of a stream, as far as it has come. */
class ChoicePieces {
  private content: string | null = null;
  private transcript: string | null = null;
  private refusal: string | null = null;
  private reasoning = '';
  private finishReason: string | null = null;
  private readonly toolCalls = new ToolCallDeltas();

  /** @returns whether the piece holds text, spoken or not, reasoning or a tool call. */
  push(choice: JsonObject): boolean {
    const delta = this.deltaOf(choice);
    const content = contentTextOf(delta['content'] ?? choice['text']) || null;
    const transcript = transcriptOf(delta) || null;
    const refusal = filledTextOf(delta['refusal']);
    const reasoning = reasoningOf(delta);
    if (content !== null) this.content = (this.content ?? '') + content;
    if (transcript !== null) this.transcript = (this.transcript ?? '') + transcript;
    if (refusal !== null) this.refusal = (this.refusal ?? '') + refusal;
    if (reasoning !== null) this.reasoning += reasoning;
    const isCalled = this.toolCalls.add(delta);
    this.finishReason = filledTextOf(choice['finish_reason']) ?? this.finishReason;
    const isSpoken = filledTextOf(objectOf(delta['audio'])['data']) !== null;
    return isCalled || isSpoken || (content ?? transcript ?? refusal ?? reasoning) !== null;
  }

  choice(): RecordedChoice {
    return {
      text: this.content ?? this.transcript ?? this.refusal ?? '',
      finishReason: this.finishReason,
      toolCalls: this.toolCalls.toolCalls(),
      ...(this.reasoning !== '' && { reasoning: this.reasoning }),
    };
  }

  /** Some servers send a whole message in a chunk, Perplexity beside each piece: it counts where nothing else has come. */
  private deltaOf({ delta, message }: JsonObject): JsonObject {
    if (typeof delta === 'object' && delta !== null) return objectOf(delta);
    return this.content === null ? objectOf(message) : {};
  }
}
