import { ExportFault } from './item-budget.js';

const TWO_32 = 2 ** 32;
/** From here on a byte of a number has others behind it. */
const TWO_BYTES = 0x80;

/** Wire types of protobuf. Groups (3 and 4) are no part of OTLP, 6 and 7 do not exist. */
const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** The tag of a field: its number with the wire type of a varint (an enum, a bool, an integer). */
export const varint = (field: number): number => field * 8 + VARINT;
/** The tag of a fixed64 or a double. */
export const fixed64 = (field: number): number => field * 8 + FIXED64;
/** The tag of a text, of bytes, of a message. */
export const bytes = (field: number): number => field * 8 + BYTES;

/**
 * Reads one message field by field, straight from the bytes of an export. A message inside it is entered with
 * {@link enter} and left with {@link leave}; nothing is read beyond the end of the message that is open.
 * Everything throws ExportFault where the bytes are no protobuf.
 */
export class ProtobufFields {
  private end: number;
  private at = 0;
  /**
   * The tag of the field that {@link next} came to. A field that is known with another wire type has a tag that nobody
   * knows and is passed over, as protobuf wants it.
   */
  tag = 0;

  constructor(private readonly buffer: Buffer) {
    this.end = buffer.length;
  }

  /** Goes to the next field of the open message. @returns false at its end. */
  next(): boolean {
    if (this.at >= this.end) return false;
    this.tag = this.upTo32Bits('a field number that is too large');
    if (this.tag < 8) throw this.malformed('field number 0');
    return true;
  }

  /** Opens the message that is the field. @returns what {@link leave} takes. */
  enter(): number {
    const end = this.bytesEnd();
    const outer = this.end;
    this.end = end;
    return outer;
  }

  /** Where the open message is read; {@link goTo} comes back to it. */
  get place(): number {
    return this.at;
  }

  /** @param place in the open message, at the beginning of a field. */
  goTo(place: number): void {
    this.at = place;
  }

  /** Closes the open message, read to its end or not. @param outer as {@link enter} gave it. */
  leave(outer: number): void {
    this.at = this.end;
    this.end = outer;
  }

  skip(): void {
    const wire = this.tag & 7;
    if (wire === VARINT) this.int64();
    else if (wire === FIXED64) this.advance(8);
    else if (wire === BYTES) this.bytesStart();
    else if (wire === FIXED32) this.advance(4);
    else throw this.malformed(`wire type ${wire}`);
  }

  /** A text; bytes that are no UTF-8 become U+FFFD. */
  text(): string {
    const start = this.bytesStart();
    return this.buffer.toString('utf8', start, this.at);
  }

  /** Bytes of its own: the export's may go. */
  bytes(): Uint8Array {
    const start = this.bytesStart();
    return Uint8Array.prototype.slice.call(this.buffer, start, this.at);
  }

  /** An id: bytes as hex digits in lower case. */
  hex(): string {
    const start = this.bytesStart();
    return this.buffer.toString('hex', start, this.at);
  }

  /** A small number: an enum, a count, a flag. Higher bits are left out, as protobuf does with an int32. */
  uint32(): number {
    return Number(BigInt.asUintN(32, BigInt(this.int64())));
  }

  /** A bool: any number but 0 is true. */
  bool(): boolean {
    return this.int64() !== 0;
  }

  /** An int64; a `bigint` where a number does not hold it. */
  int64(): number | bigint {
    let byte = this.byte();
    if (byte < 0x80) return byte;
    let low = byte & 0x7f;
    let high = 0;
    let shift = 7;
    do {
      byte = this.byte();
      if (shift < 28) low |= (byte & 0x7f) << shift;
      else if (shift === 28) {
        low |= (byte & 0x0f) << 28;
        high = (byte & 0x7f) >>> 4;
      } else high |= (byte & 0x7f) << (shift - 32);
      shift += 7;
      if (shift > 70) throw this.malformed('a number of more than ten bytes');
    } while (byte >= 0x80);
    const number = high * TWO_32 + (low >>> 0);
    if (Number.isSafeInteger(number)) return number;
    return (BigInt(high) << 32n) | BigInt(low >>> 0);
  }

  /** A fixed64 without sign: nanoseconds. */
  fixed64(): bigint {
    const start = this.advance(8);
    return this.buffer.readBigUInt64LE(start);
  }

  double(): number {
    return this.buffer.readDoubleLE(this.advance(8));
  }

  malformed(what: string): ExportFault {
    return new ExportFault('malformed', `the body is no OTLP protobuf: ${what} at byte ${this.at}`);
  }

  private bytesEnd(): number {
    const length = this.upTo32Bits('a length beyond its message');
    const end = this.at + length;
    if (end > this.end) throw this.malformed('a length beyond its message');
    return end;
  }

  /** Where bytes begin, which are gone through. */
  private bytesStart(): number {
    const end = this.bytesEnd();
    const start = this.at;
    this.at = end;
    return start;
  }

  /** @throws ExportFault for a larger number: its lower bits alone would mean something else. */
  private upTo32Bits(otherwise: string): number {
    const byte = this.at < this.end ? this.buffer[this.at]! : TWO_BYTES;
    if (byte < TWO_BYTES) {
      this.at++;
      return byte;
    }
    const number = this.int64();
    if (typeof number === 'bigint' || number < 0 || number >= TWO_32) throw this.malformed(otherwise);
    return number;
  }

  private advance(bytes: number): number {
    const start = this.at;
    if (start + bytes > this.end) throw this.malformed('a message that ends in the middle of a field');
    this.at = start + bytes;
    return start;
  }

  private byte(): number {
    if (this.at >= this.end) throw this.malformed('a message that ends in the middle of a field');
    return this.buffer[this.at++]!;
  }
}
