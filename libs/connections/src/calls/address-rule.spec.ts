import { describe, expect, it } from '@jest/globals';
import { AddressRule } from './address-rule.js';

const OPENAI = 'https://api.openai.com';
const OLLAMA = 'http://localhost:11434';

const rule = (mode: 'local' | 'cloud', allowPrivate: string[] = [], operatorBase?: string): AddressRule =>
  new AddressRule(
    {
      mode,
      plugins: [
        { use: 'openai', config: {} },
        { use: 'ollama', config: operatorBase === undefined ? {} : { base_url: operatorBase } },
      ],
    },
    { allowPrivate },
  );

describe('the address rule', () => {
  it('is none in local mode', () => {
    expect([rule('local').guards('http://10.0.0.1', null), rule('local').refuses(OLLAMA)]).toEqual([false, false]);
  });

  it('holds for every base in cloud mode', () => {
    for (const base of ['https://model.example', 'http://8.8.8.8/v1', OLLAMA]) {
      expect([base, rule('cloud').guards(base, OPENAI)]).toEqual([base, true]);
    }
    for (const base of [OPENAI, OLLAMA]) expect([base, rule('cloud').guards(null, base)]).toEqual([base, true]);
  });

  it('spares hosts that the setting names, however the base writes them', () => {
    const some = rule('cloud', ['models.internal', '10.0.0.5:8000', '*.lab.example:80', 'localhost']);
    for (const base of [
      'http://models.internal/v1',
      'https://MODELS.internal.:444/v1',
      'http://10.0.0.5:8000',
      'http://0x0a000005:8000',
      'http://a.b.lab.example',
      'http://localhost:1/',
    ]) {
      expect([base, some.guards(base, null), some.refuses(base)]).toEqual([base, false, false]);
    }
    for (const base of [
      'http://models.internal.example',
      'http://x.models.internal',
      'http://10.0.0.5',
      'https://a.lab.example',
      'http://lab.example',
      'http://127.0.0.1',
    ]) {
      expect([base, some.guards(base, null)]).toEqual([base, true]);
    }
  });

  it('spares the base that the operator gave a provider, for connections without one of their own', () => {
    const own = rule('cloud', [], 'http://ollama.internal:11434');
    expect(own.guards(null, 'http://ollama.internal:11434')).toBe(false);
    expect(own.guards('http://ollama.internal:11434', 'http://ollama.internal:11434')).toBe(true);
    expect(own.guards(null, OPENAI)).toBe(true);
  });

  it('keeps the base of the operator out of errors in cloud mode', () => {
    const base = 'http://ollama.internal:11434';
    const named = (mode: 'local' | 'cloud') => [base, OPENAI].map((given) => rule(mode, [], base).names(null, given));
    expect([named('cloud'), rule('cloud', [], base).names(base, base)]).toEqual([[false, true], true]);
    expect(named('local')).toEqual([true, true]);
  });

  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://[::ffff:10.0.0.1]/v1',
    'http://[::1]:11434',
    'http://2130706433',
    'http://0x7f.1',
    'http://017700000001',
    'https://localhost.',
    'http://me.localhost:80',
    'http://100.64.0.1',
  ])('refuses %s at once', (base) => {
    expect([rule('cloud').refuses(base), rule('cloud', ['other.example']).refuses(base)]).toEqual([true, true]);
  });

  it('leaves names to the moment of the call', () => {
    expect(rule('cloud').refuses('http://models.internal')).toBe(false);
    expect(rule('cloud').refuses('https://api.openai.com/v1')).toBe(false);
  });

  it('stops the start for an entry that is no host', () => {
    expect(() => rule('cloud', ['http://x'])).toThrow(/connections\.allow_private: "http:\/\/x" is not host/);
  });
});
