import {
  countOf,
  errorMessageOf,
  filledTextOf,
  objectOf,
  readExactJson,
  readJson,
  textOf,
  type JsonObject,
  type RecordedAnswer,
  type StreamFrame,
  type StreamReader,
} from '@spandrel/plugin-api';
import { COUNTS, readMessage } from './message-answer.js';

/** A content block as it began, with the pieces that came since. */
interface Block {
  begun: JsonObject;
  text: string;
  inputJson: string;
}

/** Reads a Messages stream. `ping` and events of a later version are passed over. */
export class MessageStream implements StreamReader {
  started = false;
  ended = false;
  private message: JsonObject = {};
  private stopReason: unknown;
  private readonly usage: Record<string, unknown> = {};
  private error: string | null = null;
  private readonly blocks = new Map<number, Block>();

  push({ event, data }: StreamFrame): void {
    const frame = objectOf(readJson(data));
    switch (textOf(frame['type']) ?? event) {
      case 'message_start':
        this.message = objectOf(frame['message']);
        this.mergeUsage(this.message['usage']);
        break;
      case 'content_block_start':
        this.beginBlock(frame);
        break;
      case 'content_block_delta':
        this.pushDelta(frame);
        break;
      case 'message_delta':
        this.stopReason = objectOf(frame['delta'])['stop_reason'] ?? this.stopReason;
        this.mergeUsage(frame['usage']);
        break;
      case 'message_stop':
        this.ended = true;
        break;
      case 'error':
        this.error = errorMessageOf(frame) ?? 'error';
        break;
    }
  }

  answer(): RecordedAnswer {
    const blocks = [...this.blocks].sort(([a], [b]) => a - b).map(([, block]) => assemble(block));
    const content = blocks.length > 0 ? blocks : this.message['content'];
    const message = { ...this.message, content, usage: this.usage };
    return {
      ...readMessage({ ...message, ...(this.stopReason !== undefined && { stop_reason: this.stopReason }) }),
      error: this.error,
    };
  }

  private beginBlock(frame: JsonObject): void {
    const begun = objectOf(frame['content_block']);
    this.blocks.set(countOf(frame['index']) ?? this.blocks.size, { begun, text: '', inputJson: '' });
    if (begun['type'] !== 'text' && begun['type'] !== 'thinking') this.started = true;
    if (filledTextOf(begun['text']) !== null) this.started = true;
  }

  private pushDelta(frame: JsonObject): void {
    const delta = objectOf(frame['delta']);
    const index = countOf(frame['index']) ?? Math.max(0, this.blocks.size - 1);
    const block = this.blocks.get(index) ?? { begun: { type: 'text' }, text: '', inputJson: '' };
    const text = filledTextOf(delta['text']);
    const inputJson = filledTextOf(delta['partial_json']);
    block.text += text ?? '';
    block.inputJson += inputJson ?? '';
    if (text !== null || inputJson !== null || filledTextOf(delta['thinking']) !== null) this.started = true;
    this.blocks.set(index, block);
  }

  /** Usage counts are cumulative: a later count replaces the earlier one. */
  private mergeUsage(usage: unknown): void {
    const counts = objectOf(usage);
    for (const name of COUNTS) this.usage[name] = counts[name] ?? this.usage[name];
  }
}

/** The block in the form a whole message has it; tool input that was cut off stays JSON text. */
function assemble({ begun, text, inputJson }: Block): JsonObject {
  return {
    ...begun,
    ...(text !== '' && { text: (textOf(begun['text']) ?? '') + text }),
    ...(inputJson !== '' && { input: readExactJson(inputJson) ?? inputJson }),
  };
}
