import { describe, expect, it } from '@jest/globals';
import type { SpanReading } from '@spandrel/plugin-api';
import type { PlainSpan } from '@spandrel/plugin-api/testing';
import { readPlain } from '../../fixtures/read-plain-span.js';
import { NAME_RANK, fittingMembers } from './trace-reading.js';

describe('what a span reports of its trace', () => {
  it.each<[what: string, plain: PlainSpan, rank: number, reading?: SpanReading]>([
    ['a span within', {}, NAME_RANK.span],
    ['a root', { parentSpanId: null }, NAME_RANK.root],
    ['its own parent', { parentSpanId: 'b7ad6b7169203331' }, NAME_RANK.root],
    ['a dialect', { parentSpanId: null }, NAME_RANK.dialect, { traceName: 'span' }],
  ])('the name of %s', (_what, plain, rank, reading = {}) => {
    expect(readPlain(plain, reading).trace.name).toEqual({ value: 'span', rank });
  });

  it.each<[what: string, attributes: Record<string, unknown>, session: string | undefined, kept: string | null]>([
    ['the conventions', { 'session.id': 'a', 'gen_ai.conversation.id': 'c' }, 'b', 'a'],
    ['a dialect', { 'gen_ai.conversation.id': 'c' }, 'b', 'b'],
    ['the conversation', { 'gen_ai.conversation.id': 'c' }, undefined, 'c'],
    ['none that is too long', { 'session.id': 'x'.repeat(513) }, undefined, null],
    ['none with NUL', { 'session.id': 'x\0' }, undefined, null],
    ['a whole number', { 'session.id': 12_345 }, undefined, '12345'],
    ['a large number', { 'gen_ai.conversation.id': 2n ** 60n }, undefined, '1152921504606846976'],
    ['none that is a fraction', { 'session.id': 1.5 }, undefined, null],
  ])('the session of %s', (_what, attributes, session, kept) => {
    const { trace } = readPlain({ attributes }, { session });
    expect(trace.session?.value ?? null).toBe(kept);
  });

  it('the user by the same order', () => {
    expect(readPlain({ attributes: { 'user.id': 'a', 'enduser.id': 'c' } }, { user: 'b' }).trace.user?.value).toBe('a');
    expect(readPlain({ attributes: { 'enduser.id': 'c' } }, { user: 'b' }).trace.user?.value).toBe('b');
    expect(readPlain({ attributes: { 'enduser.id': 'c' } }).trace.user?.value).toBe('c');
  });

  it('session and user of the resource behind all that spans name', () => {
    const resource = { 'session.id': 's', 'user.id': 42 };
    const { trace } = readPlain({ resource });
    expect([trace.session, trace.user]).toEqual([
      { value: 's', rank: 4 },
      { value: '42', rank: 4 },
    ]);
    expect(readPlain({ resource, attributes: { 'gen_ai.conversation.id': 'c' } }).trace.session?.value).toBe('c');
  });

  it('tags once each, without those that no column holds', () => {
    expect(readPlain({}, { tags: ['a', 'a', '', 'x'.repeat(513), 'b'] }).trace.tags).toEqual(['a', 'b']);
  });

  it('metadata and the resource of its service', () => {
    const { trace } = readPlain(
      { resource: { 'service.name': 'shop' } },
      { traceMetadata: { value: { tenant: 'acme' } } },
    );
    expect(trace.metadata).toEqual({ tenant: 'acme' });
    expect(trace.resource).toEqual({ service: 'shop', attributes: { 'service.name': 'shop' } });
  });
});

describe('what a span reports of its trace', () => {
  it('is all of it where it is small', () => {
    const members = { a: [1, 2], b: 'x'.repeat(60_000) };
    expect(fittingMembers(members)).toBe(members);
  });

  it('is what fits where it is large', () => {
    const members = { a: 1, long: 'x'.repeat(70_000), b: { c: 1 } };
    expect(fittingMembers(members)).toEqual({ a: 1, b: { c: 1 } });
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`k${n}`, n]));
    const kept = Object.keys(fittingMembers(many)).length;
    expect(kept).toBeGreaterThan(1_000);
    expect(kept).toBeLessThan(10_000);
  });
});
