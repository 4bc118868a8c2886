import type { RecordedAnswer, StreamFrame, StreamReader } from '../provider.js';
import { errorMessageOf } from '../wire/error-message.js';
import { countOf, filledTextOf, objectOf, readJson, textOf, type JsonObject } from '../wire/lenient-json.js';
import { readResponse } from './responses-answer.js';

/** An output item as the provider last sent it whole, with the pieces that came since. */
interface OutputItem {
  announced: JsonObject;
  text: string;
  arguments: string;
}

const END_EVENTS = new Set(['response.completed', 'response.failed', 'response.incomplete']);

/** Reads a Responses stream: pieces until the end event brings the response whole. There is no `[DONE]`. */
export class ResponsesStream implements StreamReader {
  started = false;
  ended = false;
  private response: JsonObject = {};
  private error: string | null = null;
  private readonly items = new Map<number, OutputItem>();

  push({ event, data }: StreamFrame): void {
    const frame = objectOf(readJson(data));
    const type = textOf(frame['type']) ?? event ?? '';
    if (type === 'error') this.error = errorMessageOf(frame) ?? 'error';
    else if (type.endsWith('.delta')) this.pushDelta(type, frame);
    else if (type === 'response.output_item.added' || type === 'response.output_item.done') this.pushItem(frame);
    else if (typeof frame['response'] === 'object' && frame['response'] !== null) {
      this.response = objectOf(frame['response']);
    }
    this.ended ||= END_EVENTS.has(type);
  }

  answer(): RecordedAnswer {
    const output = this.response['output'];
    const whole = this.ended && Array.isArray(output) && output.length > 0;
    const answer = readResponse(whole || !this.hasOutput ? this.response : { ...this.response, output: this.pieces() });
    return { ...answer, error: answer.error ?? this.error };
  }

  private get hasOutput(): boolean {
    return this.items.size > 0;
  }

  private pushItem(frame: JsonObject): void {
    const item = this.itemAt(frame);
    item.announced = objectOf(frame['item']);
    if (textOf(item.announced['type'])?.endsWith('_call')) this.started = true;
  }

  private pushDelta(type: string, frame: JsonObject): void {
    const delta = filledTextOf(frame['delta']);
    if (delta === null) return;
    this.started = true;
    if (type === 'response.output_text.delta' || type === 'response.refusal.delta') this.itemAt(frame).text += delta;
    else if (type.endsWith('_arguments.delta') || type.endsWith('_input.delta')) this.itemAt(frame).arguments += delta;
  }

  private itemAt(frame: JsonObject): OutputItem {
    const index = countOf(frame['output_index']) ?? 0;
    const item = this.items.get(index) ?? { announced: {}, text: '', arguments: '' };
    this.items.set(index, item);
    return item;
  }

  private pieces(): JsonObject[] {
    return [...this.items].sort(([a], [b]) => a - b).map(([, item]) => assemble(item));
  }
}

/** The item in the form a whole response has it; what the provider sent whole wins over its pieces. */
function assemble({ announced, text, arguments: pieces }: OutputItem): JsonObject {
  const type = textOf(announced['type']) ?? (pieces === '' ? 'message' : 'function_call');
  const hasContent = Array.isArray(announced['content']) && announced['content'].length > 0;
  const argumentsMember = type === 'custom_tool_call' ? 'input' : 'arguments';
  return {
    ...announced,
    type,
    ...(text !== '' && !hasContent && { content: [{ type: 'output_text', text }] }),
    ...(pieces !== '' && filledTextOf(announced[argumentsMember]) === null && { [argumentsMember]: pieces }),
  };
}
