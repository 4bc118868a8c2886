import { describe, expect, it } from '@jest/globals';
import { readMessage } from './redis-fanout.js';

describe('a message between instances', () => {
  const events = { projectId: 'p\n"', firstSeq: 5, lastSeq: 6 };

  it('has numbers of events, also from a server of 0.1.0, whose messages have their texts too', () => {
    const message = JSON.stringify({ instance: 'other', events });
    expect(readMessage(message)).toEqual({ instance: 'other', events });
    expect(readMessage([message, '{"type":"cleared"}', '{"type":"cleared"}'].join('\n'))).toEqual({
      instance: 'other',
      events,
    });
    expect(readMessage('{"instance":"other"}')).toEqual({ instance: 'other' });
  });

  it('is not what anybody writes', () => {
    for (const text of ['', 'x', 'null', '[]', '{}', '{"instance":1}', '{"instance":"a","events":{"projectId":"p"}}']) {
      expect(readMessage(text)).toBeUndefined();
    }
  });
});
