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
    expect(rule('local').guards('http://10.0.0.1', null)).toBe(false);
    for (const base of [OLLAMA, 'http://model.example:8000/v1', 'http://10.0.0.1']) {
      expect([base, rule('local').faultOf(base, OPENAI)]).toEqual([base, undefined]);
    }
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
      expect([base, some.guards(base, null), some.faultOf(base, OPENAI)]).toEqual([base, false, undefined]);
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
    for (const each of [rule('cloud'), rule('cloud', ['other.example'])]) {
      expect(each.faultOf(base, OPENAI)).toBe('must name a host that is public, or in connections.allow_private');
    }
  });

  it('leaves names to the moment of the call', () => {
    expect(rule('cloud').faultOf('https://models.internal', null)).toBeUndefined();
    expect(rule('cloud').faultOf('https://api.openai.com/v1', OPENAI)).toBeUndefined();
  });

  it.each(['http://model.example/v1', 'HTTP://model.example:443', 'http://8.8.8.8', 'http://model.example:11434'])(
    'wants https of %s',
    (base) => {
      expect(rule('cloud').faultOf(base, OLLAMA)).toMatch(
        /^must begin with https:\/\/, unless .* connections\.allow_private$/,
      );
    },
  );

  it('allows port 443 and that of the provider, and no other', () => {
    const fault = (base: string, provider: string | null): string | undefined => rule('cloud').faultOf(base, provider);
    for (const base of ['https://model.example', 'https://model.example:443/v1', 'https://8.8.8.8']) {
      for (const provider of [OPENAI, OLLAMA, null]) expect([base, fault(base, provider)]).toEqual([base, undefined]);
    }
    expect(fault('https://model.example:11434', OLLAMA)).toBeUndefined();
    expect(fault('https://model.example:11434', OPENAI)).toMatch(/^must have the port 443, unless/);
    for (const port of [1, 22, 80, 5432, 6379, 8443, 11435]) {
      expect([port, fault(`https://model.example:${port}`, OLLAMA)]).toEqual([
        port,
        expect.stringMatching(/^must have the port 443 or 11434, unless .* connections\.allow_private$/),
      ]);
    }
    const operators = 'http://ollama.internal:8000';
    expect(rule('cloud', [], operators).faultOf('https://model.example:8000', operators)).toMatch(
      /the port 443, unless/,
    );
    expect(rule('cloud', ['model.example:8443']).faultOf('http://model.example:8443', null)).toBeUndefined();
    expect(rule('cloud', ['model.example:8443']).faultOf('https://model.example:8444', null)).toMatch(/port 443/);
  });

  it('stops the start for an entry that is no host', () => {
    expect(() => rule('cloud', ['http://x'])).toThrow(/connections\.allow_private: "http:\/\/x" is not host/);
  });
});
