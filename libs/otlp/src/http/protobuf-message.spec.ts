import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { otlpType } from '../../fixtures/otlp-schema.js';
import { exportResponse, rejectionMessage } from './export-response.js';
import { ProtobufMessage } from './protobuf-message.js';

describe('the protobuf of answers', () => {
  it('is read by protobufjs as it was written', () => {
    const type = otlpType('ExportServiceResponse');
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.string({ unit: 'grapheme' }), (rejected, errorMessage) => {
        const body = new ProtobufMessage()
          .message(1, new ProtobufMessage().integer(1, rejected).text(2, errorMessage))
          .end();
        expect(type.toObject(type.decode(body), { longs: Number, defaults: true })).toEqual({
          partialSuccess: { rejected, errorMessage },
        });
        expect(body).toEqual(Buffer.from(type.encode(type.decode(body)).finish()));
      }),
    );
  });
});

describe('the message of a partial success', () => {
  it('has 4 KiB at most, and says that there is more', () => {
    const rejected = Array.from({ length: 500 }, (_, n) => ({ reason: `grund ü ${n}`, count: 1, firstSpanId: 'ab' }));
    const message = rejectionMessage(rejected);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4_096);
    expect(message).toMatch(/^grund ü 0 \(1, first span ab\); grund ü 1 .*; \.\.\.$/);
    expect(exportResponse(rejected, 'rejectedSpans', 'json').toString()).toContain('"rejectedSpans":"500"');
  });

  it('says something however long a single reason is', () => {
    const rejected = [{ reason: 'x'.repeat(5_000), count: 1, firstSpanId: '' }];
    expect(rejectionMessage(rejected)).toMatch(/^x+\.\.\. \(1\)$/);
    expect(Buffer.byteLength(rejectionMessage(rejected))).toBeLessThanOrEqual(4_096);
  });
});
