import { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { describe, expect, it, jest } from '@jest/globals';
import { receiveUpload } from './receive-upload.js';
import type { UploadSpool } from './upload-spool.js';

describe('a form of thousands of boundaries', () => {
  it('is refused, and looked at in short slices, so that others have their turn', async () => {
    const write = jest.spyOn(Busboy.prototype, '_write');
    const bytes = Buffer.from('--b\r\n'.repeat(13_000));
    const stream = Readable.from([bytes, bytes, bytes]);
    const contentType = 'multipart/form-data; boundary=b';
    const body = { stream, contentType, contentDisposition: undefined, length: undefined, contentEncoding: undefined };
    const rules = { bytesMax: 1_000_000, formatOf: () => 'csv' };
    await expect(receiveUpload(body, {} as UploadSpool, rules)).rejects.toThrow('exactly one file');
    expect(write).toHaveBeenCalled();
    expect(Math.max(...write.mock.calls.map(([chunk]) => (chunk as Buffer).length))).toBeLessThan(10_000);
  });
});
