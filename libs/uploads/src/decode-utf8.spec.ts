import { describe, expect, it } from '@jest/globals';
import { decodeUtf8 } from './decode-utf8.js';

describe('UTF-8 text', () => {
  it('is whole wherever its bytes are cut, and whatever becomes of a chunk once the next one is there', async () => {
    const bytes = Buffer.from('\ufeffa é 潮 😀\n'.repeat(3));
    for (let size = 1; size <= bytes.length; size++) {
      let text = '';
      for await (const piece of decodeUtf8(inOneBuffer(bytes, size))) text += piece;
      expect(text).toBe(bytes.toString('utf8').slice(1));
    }
  });
});

/** Cuts bytes into chunks that all come in one buffer, as those of a spooled file do. */
async function* inOneBuffer(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  const chunk = Buffer.alloc(size);
  for (let position = 0; position < bytes.length; position += size) {
    yield chunk.subarray(0, bytes.copy(chunk, 0, position, position + size));
  }
}
