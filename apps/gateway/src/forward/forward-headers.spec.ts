import { describe, expect, it } from '@jest/globals';
import { requestHeaders, responseHeaders } from './forward-headers.js';

const own = new Set(['x-forward-url', 'x-ollama-base']);

describe('requestHeaders', () => {
  it('keeps what is the caller’s and takes off what is the connection’s or the gateway’s', () => {
    const raw = [
      'Host',
      'gw',
      'A',
      '1',
      'Connection',
      'keep-alive, X-Hop',
      'x-hop',
      '1',
      'a',
      '2',
      'X-Spandrel-Key',
      'k',
      'X-Ollama-Base',
      'b',
      'Keep-Alive',
      '5',
      'Upgrade',
      'h2c',
    ];
    expect(requestHeaders(raw, 'keep-alive, X-Hop', 'up', own)).toEqual(['Host', 'up', 'A', '1', 'a', '2']);
  });

  it('does not let Connection name the message’s own headers away', () => {
    expect(requestHeaders(['Host', 'x', 'Content-Length', '5'], 'close, content-length, host', 'up', own)).toEqual([
      'Host',
      'up',
      'Content-Length',
      '5',
    ]);
  });

  it('gives a request without Host one', () => {
    expect(requestHeaders(['A', '1'], undefined, 'up', own)).toEqual(['Host', 'up', 'A', '1']);
  });
});

describe('responseHeaders', () => {
  it('takes off what is the connection’s', () => {
    const raw = [
      'A',
      '1',
      'Connection',
      'close, x-hop',
      'X-Hop',
      '1',
      'Transfer-Encoding',
      'chunked',
      'Trailer',
      'X',
      'a',
      '2',
    ];
    expect(responseHeaders(raw, true)).toEqual(['A', '1', 'Trailer', 'X', 'a', '2']);
    expect(responseHeaders(raw, false)).toEqual(['A', '1', 'a', '2']);
  });
});
