/** Receives the text messages that pass one way of a WebSocket, piece by piece. */
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
  /** Whether the message under way is a text. */
  private isText = false;
  private isBroken = false;

  constructor(private readonly handler: MessageHandler) {}

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
      this.isText = this.opcode === TEXT;
      if (this.isText) this.handler.begin();
    }
    if (this.left === 0) this.endFrame();
  }

  private readPayload(data: Buffer): Buffer {
    const payload = data.subarray(0, this.left);
    this.left -= payload.length;
    if (this.opcode < CONTROL && this.isText) this.handler.piece(this.unmasked(payload));
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
    if (this.opcode >= CONTROL || !this.isFinal || !this.isText) return;
    this.isText = false;
    this.handler.end();
  }
}
