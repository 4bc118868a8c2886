import type { Socket } from 'node:net';
import { listOf, objectOf, readJson, textOf, without, type JsonObject } from '@spandrel/plugin-api';
import type { Call } from '../recording/call.js';
import type { Outcome } from '../recording/call-facts.js';
import {
  CALLS_MAX,
  watchMessages,
  type MessageHandler,
  type WebSocketCalls,
  type WebSocketRecorder,
} from './recorded-websocket.js';

/** Longer messages are not read: no event but those that hold audio is that long. */
const MESSAGE_BYTES_MAX = 1024 * 1024;

/** What is kept of a conversation, in characters of its events. Items that came first are left out beyond it. */
export const CONVERSATION_LENGTH_MAX = 1024 * 1024;

/** Events that hold a piece of what is spoken; its words come in others. */
const AUDIO = /^response\.(?:output_)?audio\.delta$/;

interface Response {
  call: Call;
  /** What the client asked for, where it was asked. */
  asked: JsonObject;
  /** What stood in the conversation when it began. */
  items: readonly JsonObject[];
}

/**
 * Records the responses of a session of OpenAI's Realtime API, those that the client asks for and those that the end of a turn begins:
 * each as a call of the Responses API whose input is the conversation so far, and all as one trace.
 */
export class RecordedRealtime implements WebSocketRecorder {
  private readonly conversation = new Conversation();
  /** Responses that have not ended, by their ids. */
  private readonly responses = new Map<string, Response>();
  /** What the client asked for and what has not begun, oldest first. */
  private readonly asked: JsonObject[] = [];

  constructor(private readonly calls: WebSocketCalls) {}

  watch(client: Socket, upstream: Socket): void {
    watchMessages(
      [client, wholeMessages((text) => this.fromClient(text))],
      [upstream, wholeMessages((text) => this.fromUpstream(text))],
      (outcome) => {
        for (const id of this.responses.keys()) this.end(id, outcome);
      },
    );
  }

  private fromClient(text: string): void {
    if (!text.includes('response.create')) return;
    const event = objectOf(readJson(text));
    if (event['type'] === 'response.create' && this.asked.length < CALLS_MAX) this.asked.push(event);
  }

  private fromUpstream(text: string): void {
    const event = objectOf(readJson(text));
    const type = textOf(event['type']) ?? '';
    if (type === 'error') this.refuse(event, text);
    else if (type.startsWith('response.')) this.pass(type, event, text);
    else this.conversation.change(type, event, text.length);
  }

  private pass(type: string, event: JsonObject, text: string): void {
    const id = textOf(event['response_id']) ?? textOf(objectOf(event['response'])['id']);
    if (id === null) return;
    if (type === 'response.created' && this.responses.size < CALLS_MAX) this.begin(id, this.asked.shift() ?? {});
    if (!AUDIO.test(type)) this.record(id, text);
    if (type === 'response.done') this.end(id, { kind: 'answered' });
  }

  /** What the client asked for is refused: the one that the error names, else the oldest that has no name. */
  private refuse(event: JsonObject, text: string): void {
    const named = textOf(objectOf(event['error'])['event_id']);
    const at = this.asked.findIndex((asked) => textOf(asked['event_id']) === named);
    if (at === -1) return;
    this.begin(REFUSED, this.asked.splice(at, 1)[0]!);
    this.record(REFUSED, text);
    this.end(REFUSED, { kind: 'answered' });
  }

  private begin(id: string, asked: JsonObject): void {
    const call = this.calls.begin(this.calls.buffer());
    this.responses.set(id, { call, asked: objectOf(asked['response']), items: this.conversation.list() });
  }

  private record(id: string, text: string): void {
    this.responses.get(id)?.call.responseChunk(Buffer.from(`data: ${text.replace(/[\r\n]/g, ' ')}\n\n`));
  }

  /** The request is put together now, as words of what was spoken come while it is answered. */
  private end(id: string, outcome: Outcome): void {
    const response = this.responses.get(id);
    if (!response) return;
    this.responses.delete(id);
    const { call, asked, items } = response;
    call.requestChunk(
      Buffer.from(JSON.stringify({ ...this.conversation.session, input: items, ...asked, stream: true })),
    );
    call.endRequest();
    this.calls.end(call, outcome);
  }
}

/** Stands for the id of a response that was refused. */
const REFUSED = '';

/** What a session and its conversation are, as far as upstream has said. */
class Conversation {
  /** Model, instructions, tools and the other members of the session that are parameters. */
  session: JsonObject = {};
  private readonly items = new Map<string, { item: Record<string, unknown>; length: number }>();
  private length = 0;

  list(): readonly JsonObject[] {
    return [...this.items.values()].map(({ item }) => item);
  }

  /** @param length of the event, in characters. */
  change(type: string, event: JsonObject, length: number): void {
    const [kind, what] = [type.slice(0, type.lastIndexOf('.')), type.slice(type.lastIndexOf('.') + 1)];
    if (kind === 'session') {
      this.session = without(objectOf(event['session']), 'id', 'object', 'client_secret', 'expires_at');
    } else if (kind === 'conversation.item') {
      if (what === 'deleted') this.remove(textOf(event['item_id']) ?? '');
      else if (what === 'truncated') this.setPart(event, 'audio_end_ms');
      else if (ADDS.has(what)) this.put(objectOf(event['item']), length);
    } else if (kind === 'conversation.item.input_audio_transcription' && what === 'completed') {
      this.setPart(event, 'transcript');
    }
  }

  private put(item: JsonObject, length: number): void {
    const id = textOf(item['id']);
    if (id === null) return;
    const known = this.items.get(id);
    this.length += length - (known?.length ?? 0);
    // A response that has begun has the item as it is in the end.
    if (known) Object.assign(known, { length }, { item: Object.assign(known.item, item) });
    else this.items.set(id, { item: { ...item }, length });
    for (const oldest of this.items.keys()) {
      if (this.length <= CONVERSATION_LENGTH_MAX) break;
      this.remove(oldest);
    }
  }

  private remove(id: string): void {
    this.length -= this.items.get(id)?.length ?? 0;
    this.items.delete(id);
  }

  /** Sets a member of a part of an item, both as the event names them. */
  private setPart(event: JsonObject, member: string): void {
    const known = this.items.get(textOf(event['item_id']) ?? '');
    if (!known) return;
    const parts = listOf(known.item['content']);
    known.item['content'] = parts.map((part, at) =>
      at === event['content_index'] ? { ...objectOf(part), [member]: event[member] } : part,
    );
  }
}

/** Ends of the types of events that hold an item. */
const ADDS: ReadonlySet<string> = new Set(['created', 'added', 'done']);

/** Hands over each message that is not too long. */
export function wholeMessages(read: (text: string) => void): MessageHandler {
  let pieces: Buffer[] = [];
  let bytes = 0;
  return {
    begin: () => {
      pieces = [];
      bytes = 0;
    },
    piece: (data) => {
      bytes += data.length;
      if (bytes <= MESSAGE_BYTES_MAX) pieces.push(data);
    },
    end: () => {
      if (bytes <= MESSAGE_BYTES_MAX) read(Buffer.concat(pieces).toString());
      pieces = [];
    },
  };
}
