import { describe, expect, it } from '@jest/globals';
import type { OtelLogRecord } from '../decode/otel-records.js';
import { eventOfRow, eventRows, isSpanEvent, eventRecord } from './log-event.js';

const record = (members: Partial<OtelLogRecord> = {}): OtelLogRecord => ({
  eventName: 'gen_ai.user.message',
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  timeUnixNano: 7n,
  attributes: new Map([['gen_ai.system', 'openai']]),
  body: new Map([['content', 'hello']]),
  scope: { name: 's', version: '' },
  resource: new Map(),
  ...members,
});

const rowOf = async (one: OtelLogRecord, cameAt: number) => (await eventRows([eventRecord(one)], 'p', cameAt, 0))[0]!;

describe('a log record that reports a call', () => {
  it('is a span event with the members of its body', async () => {
    const event = eventOfRow(await rowOf(record(), 1));
    expect(event.name).toBe('gen_ai.user.message');
    expect(event.timeUnixNano).toBe(7n);
    expect([...event.attributes]).toEqual([
      ['content', 'hello'],
      ['gen_ai.system', 'openai'],
    ]);
  });

  it('keeps structured values as maps', async () => {
    const body = new Map([['message', new Map([['tool_calls', [new Map([['id', '1']])]]])]]);
    expect(eventOfRow(await rowOf(record({ body }), 1)).attributes.get('message')).toEqual(body.get('message'));
  });

  it.each([
    [
      'JSON text of an object',
      '{"role":"user","content":"hello"}',
      [
        ['role', 'user'],
        ['content', 'hello'],
        ['gen_ai.system', 'openai'],
      ],
    ],
    [
      'plain text',
      'hello',
      [
        ['body', 'hello'],
        ['gen_ai.system', 'openai'],
      ],
    ],
    [
      'a list',
      ['a', 'b'],
      [
        ['body', ['a', 'b']],
        ['gen_ai.system', 'openai'],
      ],
    ],
    ['nothing', null, [['gen_ai.system', 'openai']]],
  ])('has the members of a body that is %s', async (_what, body, attributes) => {
    expect([...eventOfRow(await rowOf(record({ body }), 1)).attributes]).toEqual(attributes);
  });

  it('has the same id when it comes again, and another one when it differs', async () => {
    const { id } = await rowOf(record(), 1);
    expect((await rowOf(record(), 2)).id).toBe(id);
    expect((await rowOf(record({ timeUnixNano: 8n }), 1)).id).not.toBe(id);
    expect((await rowOf(record({ body: null }), 1)).id).not.toBe(id);
  });

  it('keeps its place among others, and is there twice when it was sent twice at once', async () => {
    const rows = await eventRows([record(), record({ body: null }), record()].map(eventRecord), 'p', 1, 5);
    expect(rows.map(({ position }) => position)).toEqual([5, 6, 7]);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(3);
    const again = await eventRows([record(), record()].map(eventRecord), 'p', 2, 0);
    expect(again.map(({ id }) => id)).toEqual([rows[0]!.id, rows[2]!.id]);
  });

  it('is logged by its name', () => {
    expect(isSpanEvent(record())).toBe(true);
    expect(isSpanEvent(record({ eventName: 'gen_ai.developer.message' }))).toBe(true);
    expect(isSpanEvent(record({ eventName: 'log' }))).toBe(false);
    expect(isSpanEvent(record({ eventName: 'gen_ai.other' }))).toBe(false);
  });
});
