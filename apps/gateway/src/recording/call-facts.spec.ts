import { describe, expect, it } from '@jest/globals';
import { correlationOf, unknownHeaders } from './call-facts.js';

const W3C = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const none = { traceId: null, parentId: null };

describe('correlationOf', () => {
  it.each([
    [W3C, { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', parentId: '00f067aa0ba902b7' }],
    [`cc${W3C.slice(2)}-and-more`, { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', parentId: '00f067aa0ba902b7' }],
    [`${W3C}-more`, none],
    [`ff${W3C.slice(2)}`, none],
    [W3C.toUpperCase(), none],
    ['00-00000000000000000000000000000000-00f067aa0ba902b7-01', none],
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01', none],
    ['', none],
  ])('traceparent %s', (traceparent, expected) => {
    expect(correlationOf({ traceparent })).toMatchObject(expected);
  });

  it('prefers our own headers; a parent of another trace is not taken over', () => {
    expect(correlationOf({ traceparent: W3C, 'x-spandrel-trace-id': 'mine' })).toMatchObject({
      traceId: 'mine',
      parentId: null,
    });
    expect(correlationOf({ traceparent: W3C, 'x-spandrel-parent-id': 'p' })).toMatchObject({
      traceId: W3C.slice(3, 35),
      parentId: 'p',
    });
  });

  it('ignores what cannot be kept', () => {
    const { traceId, trace } = correlationOf({
      'x-spandrel-trace-id': 'x'.repeat(129),
      'x-spandrel-session-id': 'x'.repeat(513),
      'x-spandrel-name': 'n'.repeat(2001),
      'x-spandrel-tags': ` ,${'t'.repeat(513)}, ok `,
    });
    expect(traceId).toBeNull();
    expect(trace).toEqual({ tags: ['ok'] });
  });

  it('reads UTF-8, and latin1 where it is none', () => {
    expect(correlationOf({ 'x-spandrel-name': Buffer.from('Zürich').toString('latin1') }).trace.name).toBe('Zürich');
    expect(correlationOf({ 'x-spandrel-name': 'Z\xfcrich' }).trace.name).toBe('Zürich');
  });
});

describe('unknownHeaders', () => {
  it('names what was probably meant', () => {
    expect(
      unknownHeaders({
        'x-spandrel-capture': 'Off',
        'x-spandrel-trace-id': 't',
        'x-forward-url': 'https://llm.example.com',
        'x-spandrel-captur': 'Off',
        'x-spandrel-capture-mode': 'Off',
        'x-spandrel-session': 's',
        'x-spandrel-userid': 'u',
        'x-spandrel-weather': 'rain',
      }),
    ).toEqual({
      'x-spandrel-captur': 'x-spandrel-capture',
      'x-spandrel-capture-mode': 'x-spandrel-capture',
      'x-spandrel-session': 'x-spandrel-session-id',
      'x-spandrel-userid': 'x-spandrel-user-id',
      'x-spandrel-weather': null,
    });
  });

  it('names a few, and no endless one', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`x-spandrel-${'x'.repeat(1_000)}${n}`, '']));
    expect(JSON.stringify(unknownHeaders(many)).length).toBeLessThan(1_000);
  });
});
