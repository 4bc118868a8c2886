import { describe, expect, it } from '@jest/globals';
import { otelSpan } from '@spandrel/plugin-api/testing';
import { BYTES_MAX, dialectThat, neverThrows, otelOf, readPlain } from '../../fixtures/read-plain-span.js';
import { DialectReader } from './dialect-reader.js';
import { readSpan } from './read-span.js';

describe('metadata of a span', () => {
  it('has what is known of the call beside the sender’s own members', () => {
    const { metadata } = readPlain(
      {},
      {
        metadata: { value: { team: 'tides' } },
        request: { value: { temperature: 0.5 } },
        responseId: 'r1',
        streaming: true,
        timeToFirstTokenMs: 120.4,
      },
    ).span;
    const { otel: _otel, ...rest } = metadata!;
    expect(rest).toEqual({
      team: 'tides',
      request: { temperature: 0.5 },
      response_id: 'r1',
      streaming: true,
      time_to_first_token_ms: 120,
    });
  });

  it('keeps attributes that are not given back, whatever their names and values', () => {
    const attributes = {
      taken: 'x',
      left: 'y',
      constructor: 1,
      '': true,
      large: 2n ** 60n,
      bytes: new Uint8Array([1, 2]),
      vector: Array.from({ length: 17 }, (_, at) => at),
      text: JSON.stringify(Array.from({ length: 17 }, () => 0.25)),
      few: [1, 2],
      nested: { a: { b: 1 } },
    };
    const otel = otelOf({ attributes }, { input: { value: 'x', from: ['taken'] } });
    const { taken: _taken, ...left } = attributes;
    expect(otel['attributes']).toEqual({
      ...left,
      large: JSON.rawJSON('1152921504606846976'),
      bytes: 'AQI=',
      vector: { dimensions: 17 },
      text: { dimensions: 17 },
    });
  });

  it('keeps what a dialect took for a member that another one gave', () => {
    const readers = [
      dialectThat(() => ({ input: { value: 'a', from: ['a'] } }), 'first'),
      dialectThat(() => ({ input: { value: 'b', from: ['b'] }, output: { value: 'c', from: ['c'] } }), 'second'),
    ];
    const { span } = readSpan(
      otelSpan({ attributes: { a: 'a', b: 'b', c: 'c' } }),
      new DialectReader(readers, neverThrows),
      BYTES_MAX,
    );
    expect([span.input, span.output]).toEqual(['a', 'c']);
    expect(span.metadata!['otel']).toMatchObject({ attributes: { b: 'b' } });
    expect(Object.keys((span.metadata!['otel'] as { attributes: object }).attributes)).toEqual(['b']);
  });

  it('leaves members of our own names where they were', () => {
    const metadata = { value: { otel: 1, team: 'tides' }, from: ['meta'] };
    const { span } = readPlain({ attributes: { meta: '{"otel":1,"team":"tides"}' } }, { metadata });
    expect(span.metadata).toMatchObject({ team: 'tides', otel: { attributes: { meta: '{"otel":1,"team":"tides"}' } } });
  });

  it('has events without the bodies that were taken, links, scope, service and what was dropped', () => {
    const otel = otelOf(
      {
        kind: 'client',
        traceState: 'a=b',
        scope: { name: 'lib', version: '1' },
        resource: { 'service.name': 'shop' },
        dropped: { attributes: 1, events: 0, links: 0 },
        events: [
          { name: 'gen_ai.user.message', timeUnixNano: 5n, attributes: { content: 'Hi', 'gen_ai.system': 'x' } },
        ],
        links: [{ traceId: 't', spanId: 's', attributes: { a: 1 } }],
      },
      { input: { value: 'Hi', fromEvents: ['gen_ai.user.message'] } },
    );
    expect(otel).toMatchObject({
      service: 'shop',
      scope: { name: 'lib', version: '1' },
      kind: 'client',
      trace_state: 'a=b',
      events: [{ name: 'gen_ai.user.message', time_unix_nano: '5', attributes: { 'gen_ai.system': 'x' } }],
      links: [{ trace_id: 't', span_id: 's', attributes: { a: 1 } }],
      dropped: { attributes: 1, events: 0, links: 0 },
    });
  });
});

describe('a span that is too large', () => {
  it('has its longest texts cut, and named', () => {
    const { span } = readPlain({ attributes: { long: 'é'.repeat(200_000), short: 'kept' } }, {}, 300_000);
    const otel = span.metadata!['otel'] as { attributes: Record<string, string>; truncated: string[] };
    expect(Buffer.byteLength(otel.attributes['long']!)).toBe(65_536);
    expect(otel.attributes['short']).toBe('kept');
    expect(otel.truncated).toEqual(['metadata.otel.attributes.long']);
  });

  it('is left alone below the limit', () => {
    expect(otelOf({ attributes: { long: 'x'.repeat(100_000) } })).not.toHaveProperty('truncated');
  });
});
