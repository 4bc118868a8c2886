import {
  errorOfFrame,
  laterUsage,
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
  private reasoning = '';
  private readonly toolCalls: ToolCall[] = [];
  private last: Omit<RecordedAnswer, 'text' | 'toolCalls' | 'reasoning'> = {
    model: null,
    finishReason: null,
    usage: UNKNOWN_USAGE,
    error: null,
  };

  push(frame: StreamFrame): void {
    const { data } = frame;
    // Arguments of tool calls come as values, which are recorded.
    const parsed = data.includes('"tool_calls"') ? readExactJson(data) : readJson(data);
    const read = readOllamaAnswer(parsed);
    if (read.text !== null) this.text = (this.text ?? '') + read.text;
    this.reasoning += read.reasoning ?? '';
    this.toolCalls.push(...read.toolCalls);
    this.started ||= Boolean(read.text) || read.reasoning !== undefined || read.toolCalls.length > 0;
    this.ended ||= objectOf(parsed)['done'] === true;
    this.last = {
      model: read.model ?? this.last.model,
      finishReason: read.finishReason ?? this.last.finishReason,
      usage: laterUsage(this.last.usage, read.usage),
      error: errorOfFrame(frame, parsed) ?? this.last.error,
    };
  }

  answer(): RecordedAnswer {
    const { text, reasoning } = this;
    return { ...this.last, text, toolCalls: [...this.toolCalls], ...(reasoning !== '' && { reasoning }) };
  }
}
