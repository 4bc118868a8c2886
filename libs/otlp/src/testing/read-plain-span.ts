import type { Dialect, OtelSpan, SpanReading } from '@spandrel/plugin-api';
import { otelSpan, type PlainSpan } from '@spandrel/plugin-api/testing';
import { DialectReader } from '../reading/dialect-reader.js';
import { readSpan, type ReadSpan } from '../reading/read-span.js';

/** A dialect that every span is read with. */
export const dialectThat = (read: (span: OtelSpan) => SpanReading | undefined, name = 'mine') => ({
  name,
  extension: { claims: { spans: ['*'] }, read } satisfies Dialect,
});

/** Hears of a dialect that throws where none may. */
export const neverThrows = (name: string, error: unknown): never => {
  throw new Error(`${name} threw`, { cause: error });
};

/** What a span may have where a test is about something else. */
export const BYTES_MAX = 10_485_760;

/** Reads a span that one dialect reads as told. */
export const readPlain = (plain: PlainSpan, reading: SpanReading = {}, bytesMax = BYTES_MAX): ReadSpan =>
  readSpan(otelSpan(plain), new DialectReader([dialectThat(() => reading)], neverThrows), bytesMax);

/** `metadata.otel` of such a span. */
export const otelOf = (plain: PlainSpan, reading?: SpanReading): Record<string, unknown> =>
  readPlain(plain, reading).span.metadata!['otel'] as Record<string, unknown>;
