import { describe, expect, it } from '@jest/globals';
import { BodyRoom } from './batch.js';

describe('BodyRoom', () => {
  it('gives the same memory for one body after another, and more when one needs it', () => {
    const room = new BodyRoom(true);
    const { buffer } = room.take(1_000_000);
    expect(room.take(1_040_000)).toMatchObject({ buffer, byteOffset: 0, length: 1_040_000 });
    expect(room.take(3)).toMatchObject({ buffer, byteOffset: 0, length: 3 });
    const larger = room.take(2_000_000);
    expect(larger).toHaveLength(2_000_000);
    expect(larger.buffer).not.toBe(buffer);
  });

  it('lets go of the memory', () => {
    const room = new BodyRoom(true);
    const { buffer } = room.take(10);
    room.release();
    expect(room.take(10).buffer).not.toBe(buffer);
  });

  it('gives each body memory of its own where nobody knows who reads it later', () => {
    const room = new BodyRoom(false);
    expect(room.take(10).buffer).not.toBe(room.take(10).buffer);
  });
});
