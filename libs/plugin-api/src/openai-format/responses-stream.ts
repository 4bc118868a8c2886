import type { RecordedAnswer, StreamFrame, StreamReader } from '../provider.js';
import { errorMessageOf, errorOfFrame } from '../wire/error-message.js';
import { countOf, filledTextOf, objectOf, readJson, textOf, type JsonObject } from '../wire/lenient-json.js';
import { OPENAI_END_MARK } from './chat-stream.js';
import { isPending, readResponse } from './responses-answer.js';

/** The members of an output item that come in pieces. */
type Member = 'text' | 'reasoning' | 'arguments' | 'input' | 'code';

/** An output item as the provider last sent it whole, with the pieces that came since. */
interface OutputItem {
  announced: JsonObject;
  pieces: Partial<Record<Member, string>>;
}

const END_EVENTS = new Set(['response.completed', 'response.failed', 'response.incomplete']);

/**
 * Reads a Responses stream: pieces until the end event brings the response whole. OpenAI sends no `[DONE]`, others end
 * with it alone.
 */
export class ResponsesStream implements StreamReader {
  started = false;
  ended = false;
  private response: JsonObject = {};
  private error: string | null = null;
  private readonly items = new Map<number, OutputItem>();
  private readonly indexes = new Map<string, number>();

  push({ event, data }: StreamFrame): void {
    if (data.trim() === OPENAI_END_MARK) {
      this.ended = true;
      return;
    }
    const parsed = readJson(data);
    const frame = objectOf(parsed);
    const type = textOf(frame['type']) ?? event ?? '';
    if (type === 'error') this.error = errorMessageOf(frame) ?? (data.trim() || 'error');
    else if (type === '') this.error = errorOfFrame({ data }, parsed) ?? this.error;
    else if (type.endsWith('.delta') || type.endsWith('.done')) this.pushPiece(type, frame);
    else if (type === 'response.output_item.added') this.pushItem(frame);
    else if (type === 'response.reasoning_summary_part.added') this.beginSummaryPart(frame);
    else if (END_EVENTS.has(type)) this.pushEnd(type, objectOf(frame['response']));
    else this.pushResponse(objectOf(frame['response']));
  }

  answer(): RecordedAnswer {
    const output = this.response['output'];
    const whole = this.ended && Array.isArray(output) && output.length > 0;
    const isSeen = whole || this.items.size === 0;
    const answer = readResponse(isSeen ? this.response : { ...this.response, output: this.pieces() });
    const finishReason = isPending(this.response) ? null : answer.finishReason;
    return { ...answer, finishReason, error: answer.error ?? this.error };
  }

  private pushEnd(type: string, response: JsonObject): void {
    this.ended = true;
    this.pushResponse({ status: type.slice('response.'.length), ...response });
  }

  /** Some servers end with less of the response than they began with. */
  private pushResponse(response: JsonObject): void {
    const given = Object.entries(response).filter(([, value]) => value !== null);
    this.response = { ...this.response, ...Object.fromEntries(given) };
  }

  private pushItem(frame: JsonObject): void {
    const item = this.itemAt(frame);
    item.announced = objectOf(frame['item']);
    if (textOf(item.announced['type'])?.endsWith('_call')) this.started = true;
  }

  private beginSummaryPart(frame: JsonObject): void {
    const { pieces } = this.itemAt(frame);
    if (pieces.reasoning) pieces.reasoning += '\n\n';
  }

  /** A piece, or at the end of pieces all of them again, which counts where none came. */
  private pushPiece(type: string, frame: JsonObject): void {
    if (type === 'response.output_item.done') {
      this.pushItem(frame);
      return;
    }
    const member = memberOf(type);
    const delta = type.endsWith('.delta') ? filledTextOf(frame['delta']) : null;
    if (delta !== null) this.started = true;
    if (member === null) return;
    const { pieces } = this.itemAt(frame);
    if (delta !== null) pieces[member] = (pieces[member] ?? '') + delta;
    else if (type.endsWith('.done') && !pieces[member]) this.setWhole(pieces, member, frame);
  }

  private setWhole(pieces: OutputItem['pieces'], member: Member, frame: JsonObject): void {
    const { text, refusal, transcript } = frame;
    const whole = [frame[member], text, refusal, transcript].map(filledTextOf).find((found) => found !== null);
    if (!whole) return;
    pieces[member] = whole;
    this.started = true;
  }

  /** Servers that do not number items name them; an item without either is another one, a piece is of the last. */
  private itemAt(frame: JsonObject): OutputItem {
    const { id: own, call_id: called } = objectOf(frame['item']);
    const id = [frame['item_id'], own, called].map(filledTextOf).find((found) => found !== null);
    const next = frame['item'] === undefined && id === undefined ? Math.max(0, this.items.size - 1) : this.items.size;
    const index = countOf(frame['output_index']) ?? (id === undefined ? next : (this.indexes.get(id) ?? next));
    if (id) this.indexes.set(id, index);
    const item = this.items.get(index) ?? { announced: {}, pieces: {} };
    this.items.set(index, item);
    return item;
  }

  private pieces(): JsonObject[] {
    return [...this.items].sort(([a], [b]) => a - b).map(([, item]) => assemble(item));
  }
}

/** The member that an event brings a piece of; `null` for audio and for what is only known once it is whole. */
function memberOf(type: string): Member | null {
  const kind = type.slice(0, type.lastIndexOf('.'));
  if (/(?:output_text|refusal|transcript)$/.test(kind)) return 'text';
  if (kind.includes('reasoning') && !kind.endsWith('_part')) return 'reasoning';
  return (/_(arguments|input|code)$/.exec(kind)?.[1] as Member | undefined) ?? null;
}

/** The item in the form a whole response has it; what the provider sent whole wins over its pieces. */
function assemble({ announced, pieces }: OutputItem): JsonObject {
  const { text, reasoning, ...asked } = pieces;
  const item: Record<string, unknown> = { ...announced, type: textOf(announced['type']) ?? typeOf(pieces) };
  if (text && !isFilled(announced['content'])) item['content'] = [{ type: 'output_text', text }];
  if (reasoning && !isFilled(announced['summary']) && !isFilled(announced['content'])) item['summary'] = [reasoning];
  for (const [member, value] of Object.entries(asked)) {
    if (filledTextOf(announced[member]) === null) item[member] = value;
  }
  return item;
}

const isFilled = (list: unknown): boolean => Array.isArray(list) && list.length > 0;

function typeOf({ reasoning, arguments: given, input, code }: OutputItem['pieces']): string {
  if (given !== undefined) return 'function_call';
  if (input !== undefined) return 'custom_tool_call';
  if (code !== undefined) return 'code_interpreter_call';
  return reasoning === undefined ? 'message' : 'reasoning';
}
