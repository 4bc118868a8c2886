import { describe, expect, it } from '@jest/globals';
import { readMessage, writeMessage, BoundedSender } from './redis-fanout.js';

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

describe('messages to a connection that takes nothing', () => {
  it('wait up to so much text, and no more are sent until it takes some', async () => {
    const taken: (() => void)[] = [];
    const sent: string[] = [];
    const sender = new BoundedSender(async (message) => {
      sent.push(message);
      await new Promise<void>((take) => taken.push(take));
    }, 100);
    const long = sender.offer('x'.repeat(150));
    expect(await sender.offer('y')).toBe(false);
    taken.shift()!();
    expect([await long, sender.idle]).toEqual([true, true]);

    const waiting = ['a', 'b'].map((letter) => sender.offer(letter.repeat(40)));
    expect(await sender.offer('c'.repeat(40))).toBe(false);
    expect(sender.idle).toBe(false);
    for (const take of taken.splice(0)) take();
    expect(await Promise.all(waiting)).toEqual([true, true]);
    const last = sender.offer('d'.repeat(40));
    taken.shift()!();
    expect(await last).toBe(true);
    expect(sent.map((message) => message[0])).toEqual(['x', 'a', 'b', 'd']);
  });

  it('make room also when they fail', async () => {
    const sender = new BoundedSender(() => Promise.reject(new Error('gone')), 10);
    await expect(sender.offer('x'.repeat(10))).rejects.toThrow('gone');
    expect(sender.idle).toBe(true);
  });
});
