import type { ToolCall } from '../chat.js';
import { countOf, filledTextOf, listOf, objectOf, textOf } from '../wire/lenient-json.js';

/** Tool calls of a chat message: `tool_calls` (functions and custom tools) and the older `function_call`. */
export function readToolCalls(message: unknown): ToolCall[] {
  const { tool_calls: calls, function_call: older } = objectOf(message);
  const deltas = new ToolCallDeltas();
  deltas.add({ tool_calls: listOf(calls).map((call, index) => ({ ...objectOf(call), index })), function_call: older });
  return deltas.toolCalls();
}

/** Puts the tool calls of a chat stream together: pieces with the same `index` are one call. */
export class ToolCallDeltas {
  private readonly calls = new Map<number, { id: string | null; name: string; arguments: string | unknown }>();

  /** @param delta a chunk's `delta` with `tool_calls` or `function_call`. @returns whether it held one. */
  add(delta: unknown): boolean {
    const { tool_calls: pieces, function_call: older } = objectOf(delta);
    for (const piece of listOf(pieces)) this.addPiece(objectOf(piece));
    if (typeof older === 'object' && older !== null) this.append(FUNCTION_CALL_INDEX, null, objectOf(older));
    return listOf(pieces).length > 0 || (typeof older === 'object' && older !== null);
  }

  toolCalls(): ToolCall[] {
    return [...this.calls].sort(([a], [b]) => a - b).map(([, call]) => ({ ...call }));
  }

  /** A piece without `index` is a call of its own when it brings an id, else it goes on with the last one. */
  private addPiece(piece: Readonly<Record<string, unknown>>): void {
    const id = filledTextOf(piece['id']);
    const index = countOf(piece['index']) ?? (id === null ? Math.max(0, this.calls.size - 1) : this.calls.size);
    const custom = piece['custom'];
    this.append(index, id, objectOf(custom ?? piece['function']), custom === undefined ? 'arguments' : 'input');
  }

  private append(
    index: number,
    id: string | null,
    piece: Readonly<Record<string, unknown>>,
    member = 'arguments',
  ): void {
    const call = this.calls.get(index) ?? { id: null, name: '', arguments: '' };
    call.id ??= id;
    call.name += textOf(piece['name']) ?? '';
    const added = piece[member];
    // Some servers of this format send the arguments as a value instead of JSON text: kept as it is.
    if (typeof added === 'string' && typeof call.arguments === 'string') call.arguments += added;
    else if (added !== undefined && added !== null) call.arguments = added;
    this.calls.set(index, call);
  }
}

/** Place of the older `function_call`, before any of `tool_calls`. */
const FUNCTION_CALL_INDEX = -1;
