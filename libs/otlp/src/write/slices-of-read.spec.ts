import { describe, expect, it } from '@jest/globals';
import type { OtelSpan } from '@spandrel/plugin-api';
import { otelSpan } from '@spandrel/plugin-api/testing';
import { atOnce } from '@spandrel/kernel';
import { readSpansPage } from '../aside/read-pages.js';
import { DialectReader } from '../reading/dialect-reader.js';
import { readSpan } from '../reading/read-span.js';
import { BYTES_MAX, dialectThat, neverThrows } from '../../fixtures/read-plain-span.js';
import { slicesOfRead } from './slices-of-read.js';
import { spanRecord } from './span-record.js';

const RULES = { spanBytesMax: BYTES_MAX, dropScopes: ['noise*'] };
const dialects = new DialectReader([dialectThat(({ name }) => ({ input: { value: [name, 1.5] } }))], neverThrows);

const span = (n: number, members: Partial<OtelSpan> = {}): OtelSpan => ({
  ...otelSpan({ attributes: { big: 9_007_199_254_740_993n, deep: '['.repeat(n) } }),
  spanId: n.toString(16).padStart(16, 'a'),
  ...members,
});

async function slices(spans: OtelSpan[], size = 128): Promise<unknown[][]> {
  const all: unknown[][] = [];
  for await (const slice of slicesOfRead(atOnce(readSpansPage(spans, 0, dialects, RULES)), size)) all.push(slice);
  return all;
}

describe('spans that a thread has read', () => {
  it('become the records that they become here', async () => {
    const shop = new Map([['service.name', 'shop']]);
    const spans = [
      span(1, { resource: shop }),
      span(2, { resource: shop, parentSpanId: null, endUnixNano: 0n }),
      span(3, { resource: new Map([['service.name', 'bank']]) }),
      span(4, { resource: new Map() }),
    ];
    const [slice] = await slices(spans);
    const here = spans.map((one) => {
      const record = spanRecord(one, readSpan(one, dialects, BYTES_MAX));
      return { traceId: one.traceId, spanId: one.spanId, record };
    });
    expect(JSON.parse(JSON.stringify(slice))).toEqual(JSON.parse(JSON.stringify(here)));
    expect(JSON.stringify(slice)).toContain('9007199254740993');
    const resources = (slice as { record: { traceAttributes: { resource: object } } }[]).map(
      ({ record }) => record.traceAttributes.resource,
    );
    expect(resources[0]).toBe(resources[1]);
  });

  it('come in slices of few where they are large', async () => {
    const large = Array.from({ length: 5 }, (_, n) => span(n, { attributes: new Map([['text', 'x'.repeat(60_000)]]) }));
    expect((await slices(large)).map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(
      (
        await slices(
          Array.from({ length: 5 }, (_, n) => span(n)),
          2,
        )
      ).map(({ length }) => length),
    ).toEqual([2, 2, 1]);
  });

  it('are counted where they are left out', () => {
    const spans = [
      span(1, { traceId: 'no' }),
      span(2, { scope: { name: 'noise.x', version: '' } }),
      span(3, { traceId: 'no' }),
    ];
    const { rejected, dropped, count, lines } = atOnce(readSpansPage(spans, 0, dialects, RULES));
    expect(rejected).toMatchObject([{ count: 2, firstSpanId: spans[0]!.spanId }]);
    expect([dropped, count, lines.byteLength]).toEqual([1, 3, 0]);
  });
});
