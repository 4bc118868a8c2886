import { describe, expect, it } from '@jest/globals';
import { readMessage, writeMessage } from './fanout-message.js';

const batch = (...lines: string[]) => ({ projectId: 'p\n"', firstSeq: 5, lastSeq: 4 + lines.length, lines });

describe('a message between instances', () => {
  it('is read as it was written', () => {
    const events = batch('{"type":"cleared"}', '{"type":"span_deleted","span_id":"ä"}');
    expect(readMessage(writeMessage('me', events))).toEqual({ instance: 'me', events });
    expect(readMessage(writeMessage('me'))).toEqual({ instance: 'me', events: undefined });
  });

  it('leaves large texts out', () => {
    const message = writeMessage('me', batch('x'.repeat(300_000)));
    expect(message.length).toBeLessThan(200);
    expect(readMessage(message)).toEqual({
      instance: 'me',
      events: { projectId: 'p\n"', firstSeq: 5, lastSeq: 5, lines: undefined },
    });
  });

  it('is not what anybody writes', () => {
    for (const text of ['', 'x', 'null', '[]', '{}', '{"instance":1}', '{"instance":"a","events":{"projectId":"p"}}'])
      expect(readMessage(text)).toBeUndefined();
    const torn = writeMessage('me', batch('a', 'b')).replace(/\nb$/, '');
    expect(readMessage(torn)?.events?.lines).toBeUndefined();
  });
});
