import type { Socket } from 'node:net';
import type { Call } from '../recording/call.js';
import type { Outcome } from '../recording/call-facts.js';
import type { BodyBuffer } from '../recording/body-buffer.js';

export interface WebSocketRecorder {
  /** Reads what passes between the two from now on; http-proxy-3 listens to their errors. */
  watch(client: Socket, upstream: Socket): void;
}

export interface WebSocketCalls {
  /** A buffer for a message of the client's, which may be the request of a call. */
  buffer(): BodyBuffer;
  /** @param request the request of the call, as far as it is known; what adds the rest ends it. */
  begin(request: BodyBuffer): Call;
  /** @param at when the answer ended, on the clock of `performance.now()`; left out: now. */
  end(call: Call, outcome: Outcome, at?: number): void;
}

/** Calls of one connection that wait for their answer; those beyond are not recorded. */
export const CALLS_MAX = 16;

/** How much of a message's beginning and end is looked at for its type. */
const LOOKED_AT_BYTES = 4 * 1024;

const BEGINS = /"type"\s*:\s*"response\.create"/;
const ENDS = /"type"\s*:\s*"(?:response\.(?:completed|failed|incomplete|cancelled|done)|error)"/;

const CUT = 'the upstream closed the connection before the answer was complete';

const EVENT_BEGIN = Buffer.from('data: ');
const EVENT_END = Buffer.from('\n\n');

/**
 * Records the calls of the Responses API that pass through a WebSocket: from each `response.create` of the client to the event that
 * ends its response. Answers come in turn; their events are recorded as those of the same answer over HTTP.
 */
export class RecordedWebSocket implements WebSocketRecorder {
  /** Calls whose answer has not ended, the one being answered first. */
  private readonly waiting: Call[] = [];

  constructor(private readonly calls: WebSocketCalls) {}

  watch(client: Socket, upstream: Socket): void {
    watchMessages([client, this.ofClient()], [upstream, this.ofUpstream()], (outcome) => this.endAll(outcome));
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
        if (!type.matches() || this.waiting.length >= CALLS_MAX) {
          message.release();
          return;
        }
        const call = this.calls.begin(message);
        call.endRequest();
        this.waiting.push(call);
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

/**
 * @param endAll ends the calls under way, as one of the two has gone.
 * @param areBinary whether messages may be binary, too.
 */
export function watchMessages(
  [client, asked]: [Socket, MessageHandler],
  [upstream, answered]: [Socket, MessageHandler],
  endAll: (outcome: Outcome) => void,
  areBinary = false,
): void {
  // Who closes first says why; the other one repeats it.
  let gone: Outcome | undefined;
  const requests = new WebSocketMessages(asked, areBinary, () => (gone ??= { kind: 'client-gone' }));
  const events = new WebSocketMessages(answered, areBinary, (why) => {
    gone ??= { kind: 'cut', reason: `${CUT}${why === '' ? '' : `: ${why}`}` };
  });
  const end = (outcome: Outcome) => () => endAll(gone ?? outcome);
  const [leave, cut] = [end({ kind: 'client-gone' }), end({ kind: 'cut', reason: CUT })];
  client.on('data', (data: Buffer) => requests.push(data));
  upstream.on('data', (data: Buffer) => events.push(data));
  // The first of them to end has the other end, too.
  client.once('end', leave).once('close', leave);
  upstream.once('end', cut).once('close', cut);
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

/** Receives the messages that pass one way of a WebSocket, piece by piece. */
export interface MessageHandler {
  begin(): void;
  /** @param data unmasked; the handler's own where it was masked. */
  piece(data: Buffer): void;
  end(): void;
}

const CONTINUATION = 0;
const TEXT = 1;
/** Opcodes from here on are those of control frames, which may stand between the frames of a message. */
const CONTROL = 8;
const CLOSE = 8;
/** RFC 6455 section 5.5. */
const CLOSING_BYTES_MAX = 125;
const HEAD_BYTES_MIN = 2;
const MASK_BYTES = 4;

/**
 * Reads the frames of a WebSocket (RFC 6455 section 5.2) as their bytes pass, without extensions. What is no such frame ends the
 * reading; the bytes are passed on by others.
 */
export class WebSocketMessages {
  /** The bytes of a frame's head that have come. */
  private head = Buffer.alloc(0);
  /** Bytes of the payload under way that are still to come; -1 between frames. */
  private left = -1;
  private mask: Buffer | null = null;
  private maskAt = 0;
  private isFinal = false;
  private opcode = 0;
  /** Whether the message under way is read. */
  private isRead = false;
  private isBroken = false;
  /** The payload of a close frame. */
  private closing = Buffer.alloc(0);

  /**
   * @param areBinary whether binary messages are read, too.
   * @param onClose called with the code and the reason that a close frame gives.
   */
  constructor(
    private readonly handler: MessageHandler,
    private readonly areBinary = false,
    private readonly onClose?: (why: string) => void,
  ) {}

  push(data: Buffer): void {
    let rest = data;
    while (rest.length > 0 && !this.isBroken) rest = this.left === -1 ? this.readHead(rest) : this.readPayload(rest);
  }

  /** @returns what follows of the bytes. */
  private readHead(data: Buffer): Buffer {
    const before = this.head.length;
    this.head = Buffer.concat([this.head, data.subarray(0, Math.max(0, this.headLength - before))]);
    const taken = data.subarray(this.head.length - before);
    // The first two bytes say how long the head is.
    if (this.head.length < this.headLength) return taken;
    this.beginFrame(this.head);
    this.head = Buffer.alloc(0);
    return taken;
  }

  private get headLength(): number {
    if (this.head.length < HEAD_BYTES_MIN) return HEAD_BYTES_MIN;
    const length = this.head[1]! & 0x7f;
    const extended = length === 127 ? 8 : length === 126 ? 2 : 0;
    return HEAD_BYTES_MIN + extended + ((this.head[1]! & 0x80) === 0 ? 0 : MASK_BYTES);
  }

  private beginFrame(head: Buffer): void {
    const [first, second] = [head[0]!, head[1]!];
    this.isFinal = (first & 0x80) !== 0;
    this.opcode = first & 0x0f;
    const isMasked = (second & 0x80) !== 0;
    this.mask = isMasked ? head.subarray(-MASK_BYTES) : null;
    this.maskAt = 0;
    const length = second & 0x7f;
    this.left = length === 127 ? Number(head.readBigUInt64BE(2)) : length === 126 ? head.readUInt16BE(2) : length;
    this.isBroken = (first & 0x70) !== 0;
    if (this.isBroken) return;
    if (this.opcode < CONTROL && this.opcode !== CONTINUATION) {
      this.isRead = this.areBinary || this.opcode === TEXT;
      if (this.isRead) this.handler.begin();
    }
    if (this.left === 0) this.endFrame();
  }

  private readPayload(data: Buffer): Buffer {
    const payload = data.subarray(0, this.left);
    this.left -= payload.length;
    if (this.opcode < CONTROL && this.isRead) this.handler.piece(this.unmasked(payload));
    if (this.opcode === CLOSE)
      this.closing = Buffer.concat([this.closing, this.unmasked(payload)]).subarray(0, CLOSING_BYTES_MAX);
    if (this.left === 0) this.endFrame();
    return data.subarray(payload.length);
  }

  private unmasked(payload: Buffer): Buffer {
    const { mask } = this;
    if (mask === null) return payload;
    const plain = Buffer.allocUnsafe(payload.length);
    for (let at = 0; at < payload.length; at++) plain[at] = payload[at]! ^ mask[(this.maskAt + at) & 3]!;
    this.maskAt = (this.maskAt + payload.length) & 3;
    return plain;
  }

  private endFrame(): void {
    this.left = -1;
    if (this.opcode === CLOSE) {
      const { closing } = this;
      this.onClose?.(closing.length < 2 ? '' : `${closing.readUInt16BE()} ${closing.toString('utf8', 2)}`.trim());
    }
    if (this.opcode >= CONTROL || !this.isFinal || !this.isRead) return;
    this.isRead = false;
    this.handler.end();
  }
}
