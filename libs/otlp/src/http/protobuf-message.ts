/**
 * Writes the few small messages that answer exports, as protobuf. A member with its default is left out, as protobuf 3
 * has it.
 */
export class ProtobufMessage {
  private readonly parts: Buffer[] = [];

  /** @param value a whole number from 0. */
  integer(field: number, value: number): this {
    if (value !== 0) this.parts.push(varint(field * 8), varint(value));
    return this;
  }

  text(field: number, value: string): this {
    return value === '' ? this : this.bytes(field, Buffer.from(value));
  }

  /** A message inside this one, written also when it is empty. */
  message(field: number, value: ProtobufMessage): this {
    return this.bytes(field, value.end());
  }

  bytes(field: number, value: Buffer): this {
    this.parts.push(varint(field * 8 + 2), varint(value.length), value);
    return this;
  }

  end(): Buffer {
    return Buffer.concat(this.parts);
  }
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  while (left >= 0x80) {
    bytes.push((left % 0x80) + 0x80);
    left = Math.floor(left / 0x80);
  }
  bytes.push(left);
  return Buffer.from(bytes);
}
