import { describe, expect, it } from '@jest/globals';
import type { OtelLogRecord } from '../decode/otel-log-record.js';
import { eventOfRow, eventRow, isSpanEvent } from './log-event.js';

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

describe('a log record that tells of a call', () => {
  it('is a span event with the members of its body', () => {
    const event = eventOfRow(eventRow(record(), 'p', 1));
    expect(event.name).toBe('gen_ai.user.message');
    expect(event.timeUnixNano).toBe(7n);
    expect([...event.attributes]).toEqual([
      ['content', 'hello'],
      ['gen_ai.system', 'openai'],
    ]);
  });

  it('keeps structured values as maps', () => {
    const body = new Map([['message', new Map([['tool_calls', [new Map([['id', '1']])]]])]]);
    expect(eventOfRow(eventRow(record({ body }), 'p', 1)).attributes.get('message')).toEqual(body.get('message'));
  });

  it('has the same id when it comes again, and another one when it differs', () => {
    const { id } = eventRow(record(), 'p', 1);
    expect(eventRow(record(), 'p', 2).id).toBe(id);
    expect(eventRow(record({ timeUnixNano: 8n }), 'p', 1).id).not.toBe(id);
    expect(eventRow(record({ body: null }), 'p', 1).id).not.toBe(id);
  });

  it('is told by its name', () => {
    expect(isSpanEvent(record())).toBe(true);
    expect(isSpanEvent(record({ eventName: 'log' }))).toBe(false);
  });
});
