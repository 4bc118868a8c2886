import type { Socket } from 'node:net';
import type { Call } from '../recording/call.js';
import type { Outcome } from '../recording/call-facts.js';
import type { BodyBuffer } from '../recording/body-buffer.js';
import { WebSocketMessages, type MessageHandler } from './websocket-messages.js';

/** Makes and ends the calls of one WebSocket. */
export interface WebSocketCalls {
  /** A buffer for a message of the client's, which may be the request of a call. */
  buffer(): BodyBuffer;
  /** @param request the message that begins the call. */
  begin(request: BodyBuffer): Call;
  end(call: Call, outcome: Outcome): void;
}

/** Calls of one connection that wait for their answer; those beyond are not recorded. */
const CALLS_MAX = 16;

/** How much of a message's beginning and end is looked at for its type. */
const LOOKED_AT_BYTES = 4 * 1024;

const BEGINS = /"type"\s*:\s*"response\.create"/;
const ENDS = /"type"\s*:\s*"(?:response\.(?:completed|failed|incomplete|cancelled|done)|error)"/;

const CUT: Outcome = { kind: 'cut', reason: 'the upstream closed the connection before the answer was complete' };

const EVENT_BEGIN = Buffer.from('data: ');
const EVENT_END = Buffer.from('\n\n');

/**
 * Records the calls of the Responses API that pass through a WebSocket: from each `response.create` of the client to the event that
 * ends its response. Answers come in turn; their events are recorded as those of the same answer over HTTP.
 */
export class RecordedWebSocket {
  /** Calls whose answer has not ended, the one being answered first. */
  private readonly waiting: Call[] = [];

  constructor(private readonly calls: WebSocketCalls) {}

  /** Reads what passes between the two from now on; http-proxy-3 listens to their errors. */
  watch(client: Socket, upstream: Socket): void {
    const asked = new WebSocketMessages(this.ofClient());
    const answered = new WebSocketMessages(this.ofUpstream());
    client.on('data', (data: Buffer) => asked.push(data));
    upstream.on('data', (data: Buffer) => answered.push(data));
    // The first of them to end has the other end, too.
    client
      .once('end', () => this.endAll({ kind: 'client-gone' }))
      .once('close', () => this.endAll({ kind: 'client-gone' }));
    upstream.once('end', () => this.endAll(CUT)).once('close', () => this.endAll(CUT));
  }

  private ofClient(): MessageHandler {
    let message: BodyBuffer;
    let type: TypeOfMessage;
    return {
      begin: () => {
        message = this.calls.buffer();
        type = new TypeOfMessage(BEGINS);
      },
      piece: (data) => {
        message.add(data, 0);
        type.look(data);
      },
      end: () => {
        if (type.matches() && this.waiting.length < CALLS_MAX) this.waiting.push(this.calls.begin(message));
        else message.release();
      },
    };
  }

  private ofUpstream(): MessageHandler {
    let type: TypeOfMessage;
    const record = (data: Buffer): void => this.waiting[0]?.responseChunk(data);
    return {
      begin: () => {
        type = new TypeOfMessage(ENDS);
        record(EVENT_BEGIN);
      },
      piece: (data) => {
        record(withoutLines(data));
        type.look(data);
      },
      end: () => {
        record(EVENT_END);
        if (!type.matches()) return;
        const call = this.waiting.shift();
        if (call) this.calls.end(call, { kind: 'answered' });
      },
    };
  }

  private endAll(outcome: Outcome): void {
    for (const call of this.waiting.splice(0)) this.calls.end(call, outcome);
  }
}

/** Finds the type of a message of JSON, which stands at its beginning or at its end. */
class TypeOfMessage {
  private start = '';
  private end = '';

  constructor(private readonly type: RegExp) {}

  look(data: Buffer): void {
    const room = LOOKED_AT_BYTES - this.start.length;
    if (room > 0) this.start += data.toString('latin1', 0, room);
    this.end = (this.end + data.toString('latin1', Math.max(0, data.length - LOOKED_AT_BYTES))).slice(-LOOKED_AT_BYTES);
  }

  matches(): boolean {
    return this.type.test(this.start) || this.type.test(this.end);
  }
}

/** JSON on one line: in JSON a line's end is a blank. */
function withoutLines(data: Buffer): Buffer {
  if (!data.includes(0x0a) && !data.includes(0x0d)) return data;
  return Buffer.from(data.toString('latin1').replace(/[\r\n]/g, ' '), 'latin1');
}
