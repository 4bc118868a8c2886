import { describe, expect, it } from '@jest/globals';
import { asPlugin, pluginAtFault } from './plugin-context.js';

class Reader {
  #text = '';
  push(text: string): void {
    this.#text += text;
  }
  get seen(): string {
    return `${this.#text} by ${String(pluginAtFault())}`;
  }
}

const extension = Object.freeze({
  hosts: ['a', 'b'],
  prices: { m: 1 },
  chat: { read: (body: string) => `${body} by ${String(pluginAtFault())}` },
  endpoint: (name: string) => (name === '' ? undefined : { name, readStream: () => new Reader() }),
  answer: () => ({ text: 't' }),
  fail: () => {
    throw new Error('on purpose');
  },
  later: async () => {
    await Promise.resolve();
    return pluginAtFault();
  },
});

describe('asPlugin', () => {
  const wrapped = asPlugin('mine', extension);

  it('changes no answer and no error', () => {
    expect([wrapped.hosts, wrapped.prices]).toEqual([['a', 'b'], { m: 1 }]);
    expect(Object.entries(wrapped.prices)).toEqual([['m', 1]]);
    expect(wrapped.answer()).toEqual({ text: 't' });
    expect(() => wrapped.fail()).toThrow('on purpose');
    expect(wrapped.endpoint('')).toBeUndefined();
    expect(wrapped.endpoint('e')!.name).toBe('e');
    expect('chat' in wrapped).toBe(true);
    expect('embeddings' in wrapped).toBe(false);
    expect((wrapped as { embeddings?: unknown }).embeddings).toBeUndefined();
  });

  it('runs functions and getters of the extension and of its parts as the plugin, and nothing else', async () => {
    expect(wrapped.chat.read('b')).toBe('b by mine');
    expect(await wrapped.later()).toBe('mine');
    const reader = wrapped.endpoint('e')!.readStream();
    reader.push('x');
    expect(reader.seen).toBe('x by mine');
    expect(pluginAtFault()).toBeUndefined();
  });
});
