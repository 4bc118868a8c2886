import type { RecordedAnswer, StreamFrame, StreamReader } from '../provider.js';
import { errorMessageOf } from '../wire/error-message.js';
import { countOf, filledTextOf, objectOf, readJson, textOf, type JsonObject } from '../wire/lenient-json.js';
import { readResponse } from './responses-answer.js';

/** An output item as last told, with the pieces that came since. */
interface OutputItem {
  told: JsonObject;
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
    const told = objectOf(readJson(data));
    const type = textOf(told['type']) ?? event ?? '';
    if (type === 'error') this.error = errorMessageOf(told) ?? 'error';
    else if (type.endsWith('.delta')) this.pushDelta(type, told);
    else if (type === 'response.output_item.added' || type === 'response.output_item.done') this.pushItem(told);
    else if (typeof told['response'] === 'object' && told['response'] !== null) {
      this.response = objectOf(told['response']);
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

  private pushItem(told: JsonObject): void {
    const item = this.itemAt(told);
    item.told = objectOf(told['item']);
    if (textOf(item.told['type'])?.endsWith('_call')) this.started = true;
  }

  private pushDelta(type: string, told: JsonObject): void {
    const delta = filledTextOf(told['delta']);
    if (delta === null) return;
    this.started = true;
    if (type === 'response.output_text.delta' || type === 'response.refusal.delta') this.itemAt(told).text += delta;
    else if (type.endsWith('_arguments.delta') || type.endsWith('_input.delta')) this.itemAt(told).arguments += delta;
  }

  private itemAt(told: JsonObject): OutputItem {
    const index = countOf(told['output_index']) ?? 0;
    const item = this.items.get(index) ?? { told: {}, text: '', arguments: '' };
    this.items.set(index, item);
    return item;
  }

  private pieces(): JsonObject[] {
    return [...this.items].sort(([a], [b]) => a - b).map(([, item]) => assemble(item));
  }
}

/** The item in the form a whole response has it; what the provider told whole wins over its pieces. */
function assemble({ told, text, arguments: pieces }: OutputItem): JsonObject {
  const type = textOf(told['type']) ?? (pieces === '' ? 'message' : 'function_call');
  const hasContent = Array.isArray(told['content']) && told['content'].length > 0;
  const argumentsMember = type === 'custom_tool_call' ? 'input' : 'arguments';
  return {
    ...told,
    type,
    ...(text !== '' && !hasContent && { content: [{ type: 'output_text', text }] }),
    ...(pieces !== '' && filledTextOf(told[argumentsMember]) === null && { [argumentsMember]: pieces }),
  };
}
