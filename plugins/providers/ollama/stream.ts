import {
  filledTextOf,
  objectOf,
  readExactJson,
  readJson,
  UNKNOWN_USAGE,
  type RecordedAnswer,
  type StreamFrame,
  type StreamReader,
  type ToolCall,
} from '@spandrel/plugin-api';
import { readOllamaAnswer } from './answer.js';

/** Reads a stream of chat or generate: every line holds a piece of text, the last one (`done`) the counts. */
export class OllamaStream implements StreamReader {
  started = false;
  ended = false;
  private text: string | null = null;
  private readonly toolCalls: ToolCall[] = [];
  private last: Omit<RecordedAnswer, 'text' | 'toolCalls'> = {
    model: null,
    finishReason: null,
    usage: UNKNOWN_USAGE,
    error: null,
  };

  push({ data }: StreamFrame): void {
    // Arguments of tool calls come as values, which are recorded.
    const line = objectOf(data.includes('"tool_calls"') ? readExactJson(data) : readJson(data));
    const read = readOllamaAnswer(line);
    const thinking = filledTextOf(line['thinking']) ?? filledTextOf(objectOf(line['message'])['thinking']);
    if (read.text !== null) this.text = (this.text ?? '') + read.text;
    this.toolCalls.push(...read.toolCalls);
    this.started ||= Boolean(read.text) || thinking !== null || read.toolCalls.length > 0;
    this.ended ||= line['done'] === true;
    this.last = {
      model: read.model ?? this.last.model,
      finishReason: read.finishReason ?? this.last.finishReason,
      usage: {
        ...UNKNOWN_USAGE,
        inputTokens: read.usage.inputTokens ?? this.last.usage.inputTokens,
        outputTokens: read.usage.outputTokens ?? this.last.usage.outputTokens,
      },
      error: read.error ?? this.last.error,
    };
  }

  answer(): RecordedAnswer {
    return { ...this.last, text: this.text, toolCalls: [...this.toolCalls] };
  }
}
