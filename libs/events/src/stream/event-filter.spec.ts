import { describe, expect, it } from '@jest/globals';
import { EVENT_TYPES } from '@spandrel/contract';
import * as fc from 'fast-check';
import { behind, typeOf } from '../log/event-batch.js';
import { EventFilter, eventOutline, traceIdOf } from './event-filter.js';

const batch = (firstSeq: number, ...lines: string[]) => ({
  projectId: 'p',
  firstSeq,
  lastSeq: firstSeq + lines.length - 1,
  lines,
});
const CLEARED = '{"type":"cleared"}';
const DELETED = '{"type":"span_deleted","span_id":"\\"type\\":\\"cleared\\" ä"}';

describe('EventFilter', () => {
  it('frames events as the stream has them', () => {
    const { bytes, count } = new EventFilter().frames([batch(7, CLEARED, DELETED), batch(9, CLEARED)], 0);
    expect(count).toBe(3);
    expect(bytes.toString()).toBe(
      `id: 7\nevent: message\ndata: ${CLEARED}\n\nid: 8\nevent: message\ndata: ${DELETED}\n\nid: 9\nevent: message\ndata: ${CLEARED}\n\n`,
    );
  });

  it('leaves out what the client has', () => {
    const text = (afterSeq: number): string =>
      new EventFilter().frames([batch(1, CLEARED, CLEARED), batch(3, CLEARED)], afterSeq).bytes.toString();
    expect([...text(1).matchAll(/id: (\d)/g)].map(([, id]) => id)).toEqual(['2', '3']);
    expect(text(3)).toBe('');
  });

  it('goes by the type, not by what an event says', () => {
    const { bytes, count } = new EventFilter({ types: ['cleared'] }).frames([batch(1, DELETED, CLEARED, DELETED)], 0);
    expect(count).toBe(1);
    expect(bytes.toString()).toBe(`id: 2\nevent: message\ndata: ${CLEARED}\n\n`);
  });

  it('takes the events of a trace, and those that do not say of which they are', () => {
    const span = (trace_id: string): string =>
      JSON.stringify({ type: 'span_created', span: { id: 's', trace_id, input: { trace_id: 'a' } } });
    const lines = [
      span('a'),
      span('b'),
      '{"type":"trace_created","trace":{"id":"a","name":"b"}}',
      '{"type":"trace_deleted","trace_id":"b"}',
      '{"type":"trace_deleted","trace_id":"a"}',
      '{"type":"eval_completed","run_id":"a"}',
      DELETED,
      CLEARED,
    ];
    const seen = (view: 'full' | 'outline'): string[] => {
      const { bytes } = new EventFilter({ traceId: 'a', view }).frames([batch(1, ...lines)], 0);
      return [...bytes.toString().matchAll(/id: (\d)/g)].map(([, id]) => id!);
    };
    expect(seen('full')).toEqual(['1', '3', '5', '7', '8']);
    expect(seen('outline')).toEqual(seen('full'));
  });

  it('shows events without their texts, numbered as they are', () => {
    const line = JSON.stringify({ type: 'datapoint_created', datapoint: { id: 'd', kind: { Generic: {} } } });
    const { bytes, count } = new EventFilter({ view: 'outline' }).frames([batch(4, CLEARED, line)], 0);
    expect(count).toBe(2);
    expect(bytes.toString()).toContain(
      'id: 5\nevent: message\ndata: {"type":"datapoint_created","datapoint":{"id":"d"}}\n',
    );
  });

  it('has one key for the same wish, however it is made', () => {
    expect(new EventFilter({ types: ['cleared', 'eval_failed'] }).key).toBe(
      new EventFilter({ types: ['eval_failed', 'cleared', 'cleared'] }).key,
    );
    expect(new EventFilter({ types: ['cleared'] }).key).not.toBe(new EventFilter({ types: ['eval_failed'] }).key);
    expect(new EventFilter({ types: EVENT_TYPES.toReversed() }).key).toBe(new EventFilter().key);
    expect(new EventFilter({ view: 'full' }).key).toBe(new EventFilter().key);
    const keys = [{}, { view: 'outline' }, { traceId: 'a' }, { traceId: 'a', view: 'outline' }] as const;
    expect(new Set(keys.map((wanted) => new EventFilter(wanted).key)).size).toBe(keys.length);
  });
});

it('typeOf reads the type from the beginning', () => {
  for (const type of EVENT_TYPES) expect(typeOf(JSON.stringify({ type, x: 'y' }))).toBe(type);
});

it('behind cuts a batch', () => {
  const three = batch(4, 'a', 'b', 'c');
  expect(behind(three, 3)).toBe(three);
  expect(behind(three, 4)).toEqual(batch(5, 'b', 'c'));
  expect(behind(three, 5)).toEqual(batch(6, 'c'));
  expect(behind(three, 6)).toBeUndefined();
});

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
