import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { eventOutline, traceIdOf } from './event-outline.js';

const SPAN = {
  id: 's',
  trace_id: 't',
  parent_id: null,
  name: '"input":',
  kind: { type: 'llm_call', model: 'm', attributes: { secret: 'text' }, cost: 0.5 },
  input: [{ role: 'user', content: 'secret' }],
  output: null,
  status: 'completed',
  error: null,
  started_at: '2026-11-22T00:00:00.000Z',
  ended_at: '2026-11-22T00:00:01.000Z',
  metadata: { mine: 'secret', duration_ms: 1_000, total_tokens: null, cost: 0.5 },
};
const outlined = (event: object): unknown => JSON.parse(eventOutline(JSON.stringify(event)));

describe('the outline of an event', () => {
  it('of a span has no text and nothing of the caller', () => {
    const { input, output: _output, metadata: _metadata, ...kept } = SPAN;
    expect(outlined({ type: 'span_completed', span: SPAN })).toEqual({
      type: 'span_completed',
      span: {
        ...kept,
        kind: { type: 'llm_call', model: 'm', cost: 0.5 },
        metadata: { duration_ms: 1_000, total_tokens: null, cost: 0.5 },
        input_bytes: JSON.stringify(input).length,
        output_bytes: 0,
        input_preview: null,
        output_preview: null,
      },
    });
  });

  it('of a running span has no metadata: what is there is the caller’s', () => {
    const span = { ...SPAN, status: 'running', ended_at: null };
    expect(outlined({ type: 'span_created', span })).toMatchObject({ span: { metadata: {} } });
  });

  it('has the bytes of texts, and keeps numbers digit by digit', () => {
    const line = JSON.stringify({ type: 'span_failed', span: { ...SPAN, input: 'ä"\\' } }).replace(
      '"cost":0.5',
      '"cost":12345678901234567890.5',
    );
    expect(eventOutline(line)).toContain('"cost":12345678901234567890.5');
    expect(JSON.parse(eventOutline(line))).toMatchObject({
      span: { input_bytes: Buffer.byteLength(JSON.stringify('ä"\\')) },
    });
  });

  it('of a datapoint or a queue item has everything but its data', () => {
    const item = { id: 'i', status: 'claimed', original_data: { Generic: {} }, edited_data: 'x', created_at: 'now' };
    expect(outlined({ type: 'queue_item_updated', item })).toEqual({
      type: 'queue_item_updated',
      item: { id: 'i', status: 'claimed', created_at: 'now' },
    });
    expect(outlined({ type: 'datapoint_created', datapoint: { kind: { Generic: { input: 1 } }, id: 'd' } })).toEqual({
      type: 'datapoint_created',
      datapoint: { id: 'd' },
    });
  });

  it('of any other is the event', () => {
    for (const line of ['{"type":"cleared"}', '{"type":"eval_failed","run_id":"r","error":"{\\"kind\\":1}"}']) {
      expect(eventOutline(line)).toBe(line);
    }
  });

  it('holds nothing that was said in texts, whatever they are', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()), (input, output, mine) => {
        const span = {
          ...SPAN,
          input,
          output,
          metadata: { ...mine, duration_ms: 1 },
          kind: { ...SPAN.kind, attributes: mine },
        };
        const { span: shown } = outlined({ type: 'span_completed', span }) as { span: Record<string, unknown> };
        expect(Object.keys(shown).toSorted()).toEqual(
          [
            ...Object.keys(SPAN).filter((name) => name !== 'input' && name !== 'output'),
            'input_bytes',
            'input_preview',
            'output_bytes',
            'output_preview',
          ].toSorted(),
        );
        expect(shown['kind']).toEqual({ type: 'llm_call', model: 'm', cost: 0.5 });
        expect(
          Object.keys(shown['metadata'] as object).filter(
            (name) => !['duration_ms', 'total_tokens', 'cost'].includes(name),
          ),
        ).toEqual([]);
      }),
    );
  });
});

describe('the trace of an event', () => {
  it.each([
    ['{"type":"span_created","span":{"id":"s","trace_id":"t","input":{"trace_id":"x"}}}', 't'],
    ['{"type":"trace_created","trace":{"id":"t"}}', 't'],
    ['{"type":"trace_deleted","trace_id":"t"}', 't'],
    ['{"type":"span_deleted","span_id":"t"}', undefined],
    ['{"type":"cleared"}', undefined],
  ])('%s is %s', (line, expected) => {
    expect(traceIdOf(line)).toBe(expected);
  });
});
