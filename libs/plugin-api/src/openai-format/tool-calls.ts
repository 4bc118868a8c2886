import type { ToolCall } from '../chat.js';
import { countOf, filledTextOf, listOf, objectOf, readJson, textOf, type JsonObject } from '../wire/lenient-json.js';

/** Tool calls of a chat message: `tool_calls` (functions and custom tools) and the older `function_call`. */
export function readToolCalls(message: unknown): ToolCall[] {
  const { tool_calls: calls, function_call: older, executed_tools: executed } = objectOf(message);
  const deltas = new ToolCallDeltas();
  deltas.add({
    executed_tools: executed,
    tool_calls: piecesOf(calls).map((call, index) => ({ ...objectOf(call), index })),
    function_call: older,
  });
  return deltas.toolCalls();
}

interface BegunCall {
  index: number;
  id: string | null;
  name: string;
  arguments: unknown;
}

/**
 * Puts the tool calls of a chat stream together (docs/spec/recording.md#tool-calls): pieces with the same `index` are one
 * call unless they bring another id; pieces without `index` are of the call with their id, else of the last one.
 */
export class ToolCallDeltas {
  /** In the order in which they began. */
  private readonly calls: BegunCall[] = [];
  private readonly lastAt = new Map<number, BegunCall>();
  private readonly byId = new Map<string, BegunCall>();
  /** Calls of tools that Groq runs itself: whole, and once more with what came of them. */
  private readonly executed = new Map<number, ToolCall>();

  /** @param delta a chunk's `delta` with `tool_calls`, `function_call` or `executed_tools`. @returns whether it held one. */
  add(delta: unknown): boolean {
    const { tool_calls: calls, function_call: older, executed_tools: executed } = objectOf(delta);
    for (const { index, type, arguments: given } of listOf(executed).map(objectOf)) {
      this.executed.set(countOf(index) ?? this.executed.size, {
        id: null,
        name: textOf(type) ?? '',
        arguments: given ?? null,
      });
    }
    const pieces = piecesOf(calls);
    for (const piece of pieces) this.addPiece(objectOf(piece));
    const isOlder = typeof older === 'object' && older !== null;
    if (isOlder) append(this.lastAt.get(FUNCTION_CALL_INDEX) ?? this.begin(FUNCTION_CALL_INDEX, null), objectOf(older));
    return pieces.length > 0 || isOlder || listOf(executed).length > 0;
  }

  toolCalls(): ToolCall[] {
    const calls = this.calls
      .toSorted((a, b) => a.index - b.index)
      .map(({ id, name, arguments: given }) => ({ id, name, arguments: given }));
    return [...this.executed.values(), ...calls];
  }

  private addPiece(piece: JsonObject): void {
    const id = filledTextOf(piece['id']);
    const custom = piece['custom'];
    const part = objectOf(custom ?? piece['function'] ?? piece);
    const call = this.callOf(countOf(piece['index']), id, filledTextOf(part['name']));
    if (call.id === null && id !== null) this.identify(call, id);
    append(call, part, custom === undefined ? 'arguments' : 'input');
  }

  private callOf(index: number | null, id: string | null, name: string | null): BegunCall {
    if (index === null) {
      const begun = id === null ? this.calls.at(-1) : this.byId.get(id);
      return begun === undefined || isAnother(begun, id, name) ? this.begin(this.calls.length, id) : begun;
    }
    const begun = this.lastAt.get(index);
    return begun === undefined || isAnother(begun, id, name) ? this.begin(index, id) : begun;
  }

  private begin(index: number, id: string | null): BegunCall {
    const call: BegunCall = { index, id: null, name: '', arguments: '' };
    this.calls.push(call);
    this.lastAt.set(index, call);
    if (id !== null) this.identify(call, id);
    return call;
  }

  private identify(call: BegunCall, id: string): void {
    call.id = id;
    this.byId.set(id, call);
  }
}

/** A list of pieces; servers of Hugging Face send one alone. */
const piecesOf = (calls: unknown): readonly unknown[] => (objectOf(calls) === calls ? [calls] : listOf(calls));

/** Whether a piece is not of the call with its index: some servers number all calls 0 (Google), some give them no ids. */
function isAnother(call: BegunCall, id: string | null, name: string | null): boolean {
  if (id !== null && call.id !== null) return id !== call.id;
  if (id !== null || name === null || call.name === '' || call.arguments === '') return false;
  return name !== call.name || (call.id === null && isWhole(call.arguments));
}

/** Whether arguments need nothing more: the same function is then called once more. */
const isWhole = (given: unknown): boolean =>
  typeof given !== 'string' || (/\}\s*$/.test(given.slice(-LOOKED_AT)) && readJson(given) !== undefined);

/** The end of arguments, which shows whether they may be whole. */
const LOOKED_AT = 8;

/** A name is given whole, arguments piece by piece. */
function append(call: BegunCall, piece: JsonObject, member = 'arguments'): void {
  call.name = filledTextOf(piece['name']) ?? call.name;
  const added = piece[member];
  // Some servers send all of the arguments once more at the end.
  if (added === call.arguments && isWhole(added)) return;
  // Some servers of this format send the arguments as a value instead of JSON text: kept as it is.
  if (typeof added === 'string' && typeof call.arguments === 'string') call.arguments += added;
  else if (added !== undefined && added !== null) call.arguments = added;
}

/** Place of the older `function_call`, before any of `tool_calls`. */
const FUNCTION_CALL_INDEX = -1;
