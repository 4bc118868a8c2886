import { describe, expect, it } from '@jest/globals';
import type { SpanReading } from '@spandrel/plugin-api';
import { otelSpan } from '@spandrel/plugin-api/testing';
import { BYTES_MAX, dialectThat, neverThrows } from '../../fixtures/read-plain-span.js';
import { DialectReader } from './dialect-reader.js';
import { readSpan } from './read-span.js';

describe('merging of readings', () => {
  const merged = (...readings: SpanReading[]) => {
    const dialects = readings.map((reading, at) => dialectThat(() => reading, `d${at}`));
    return readSpan(otelSpan({}), new DialectReader(dialects, neverThrows), BYTES_MAX);
  };

  it('takes each member from the first dialect that has a value, and usage whole', () => {
    const { span, usage } = merged(
      { model: '', usage: {}, kind: { type: 'llm_call' } },
      { model: 'first', usage: { inputTokens: 1 } },
      { model: 'second', usage: { inputTokens: 2, outputTokens: 3 } },
    );
    expect(span.kind).toMatchObject({ model: 'first', input_tokens: 1, output_tokens: null });
    expect(usage).toEqual({ input_tokens: 1 });
  });

  it('asks no dialect that claims nothing of the span', () => {
    const other = { name: 'other', extension: { claims: { attributes: ['acme.*'] }, read: neverThrows as never } };
    expect(readSpan(otelSpan({}), new DialectReader([other], neverThrows), BYTES_MAX).span.name).toBe('span');
  });

  it('loses the reading alone of a dialect that throws', () => {
    const thrown: string[] = [];
    const broken = dialectThat(() => {
      throw new Error('odd');
    }, 'broken');
    const reader = new DialectReader([broken, dialectThat(() => ({ model: 'm' }))], (name) => thrown.push(name));
    expect(readSpan(otelSpan({}), reader, BYTES_MAX).span.kind).toMatchObject({ model: 'm' });
    expect(thrown).toEqual(['broken']);
  });
});
