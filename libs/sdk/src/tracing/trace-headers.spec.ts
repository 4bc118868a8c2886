import { describe, expect, it } from '@jest/globals';
import { FakeIngest } from '../../../../test/sdk/support/fake-ingest.js';
import { Spandrel } from '../spandrel.js';
import { traceHeaders } from '../gateway/gateway-calls.js';
import type { TraceOptions } from './trace.js';

const GATEWAY = 'http://gateway.test:3001/base';
const spandrel = new Spandrel({ fetch: new FakeIngest().fetch });
const headersAt = (url: string): Record<string, string> => traceHeaders(new URL(url), GATEWAY);
const inTrace = (options: TraceOptions): Record<string, string> =>
  spandrel.trace('t', options, () => headersAt('http://gateway.test:3001/v1/x'));

describe('headers of the trace', () => {
  it('are none where none is open', () => expect(headersAt(GATEWAY)).toEqual({}));

  it('name the trace and the span within a span', () =>
    spandrel.trace('t', (trace) =>
      spandrel.span('s', (span) => {
        expect(headersAt(GATEWAY)).toEqual({ traceparent: `00-${trace.id}-${span.id}-01` });
        expect(headersAt('http://other.test/')).toEqual({ traceparent: span.traceparent });
      }),
    ));

  it('name no span where there is none', () =>
    spandrel.trace('t', (trace) => {
      expect(headersAt(GATEWAY)).toEqual({ 'X-Spandrel-Trace-Id': trace.id });
      expect(headersAt('http://other.test/')).toEqual({ traceparent: trace.traceparent });
    }));

  it('give the gateway alone session, user and tags', () => {
    const options = { sessionId: 's 1', userId: 'Zoë 😀', tags: ['a', 'ü'], metadata: { secret: 1 } };
    expect(inTrace(options)).toEqual({
      'X-Spandrel-Trace-Id': expect.any(String),
      'X-Spandrel-Session-Id': 's 1',
      'X-Spandrel-User-Id': 'Zoë 😀',
      'X-Spandrel-Tags': 'a,ü',
    });
    spandrel.trace('t', options, () => {
      expect(Object.keys(headersAt('http://other.test/'))).toEqual(['traceparent']);
    });
  });

  it.each<[string, TraceOptions]>([
    ['a comma in a tag', { tags: ['a,b'] }],
    ['an empty tag', { tags: ['a', ''] }],
    ['a blank at the end', { sessionId: 'a ' }],
    ['a line break', { userId: 'a\r\nX-Evil: 1' }],
    ['more than a server takes', { tags: Array.from({ length: 300 }, (_, n) => `tag number ${n}`) }],
  ])('leave out what would arrive as something else: %s', (_name, options) => {
    const headers = inTrace(options);
    expect(Object.keys(headers)).toEqual(['X-Spandrel-Trace-Id']);
    expect(() => new Headers(headers)).not.toThrow();
  });
});
