import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { KeyRedaction } from './key-redaction.js';

const KEY = 'sk-proj-AbCd0123456789/+"\\wxyz';
const redact = (text: string, key = KEY): string => new KeyRedaction(key).redact(text);

describe('KeyRedaction', () => {
  it('shows of an output that is coming what stays, wherever it is cut', () => {
    const redaction = new KeyRedaction(KEY);
    const said = `the key ${KEY}, in base64 ${Buffer.from(KEY).toString('base64')} and sk-pro`;
    const whole = redaction.redact(said);
    for (let length = 0, shown = ''; length <= said.length; length++) {
      const now = redaction.settled(said.slice(0, length));
      expect([length, now.startsWith(shown), whole.startsWith(now)]).toEqual([length, true, true]);
      shown = now;
    }
    expect(new KeyRedaction('none').settled('none')).toBe('none');
    expect(new KeyRedaction('').settled('text')).toBe('text');
  });

  it.each([
    ['as it is', KEY],
    ['in JSON', JSON.stringify(KEY).slice(1, -1)],
    ['in JSON within JSON', JSON.stringify(JSON.stringify(KEY)).slice(3, -3)],
    ['in JSON with slashes escaped', JSON.stringify(KEY).slice(1, -1).replaceAll('/', '\\/')],
    ['percent-encoded', encodeURIComponent(KEY)],
    ['percent-encoded in lower case', encodeURIComponent(KEY).replace(/%../g, (code) => code.toLowerCase())],
    ['in another case', KEY.toUpperCase()],
    ['in base64', Buffer.from(KEY).toString('base64').replace(/=+$/, '')],
    ['in hex', Buffer.from(KEY).toString('hex')],
  ])('takes the key out %s', (_spelling, spelled) => {
    expect(redact(`wrong key ${spelled}, and again:${spelled}.`)).toBe('wrong key [redacted], and again:[redacted].');
  });

  it.each([
    ['sk-***xyz', '[redacted]'],
    ['sk-proj-****wxyz', '[redacted]'],
    ['sk-proj-AbCd*************************wxyz', '[redacted]'],
    ['sk-proj-...wxyz', '[redacted]'],
    ['sk-proj-A…xyz', '[redacted]'],
    ['sk-proj-XXXXXXXXwxyz', '[redacted]'],
    ['(sk-pro•••••wxyz)', '([redacted])'],
    ['sk-p***"\\wxyz', '[redacted]'],
    ['"sk-a***wxyz" and sk-p***wxyz', '"sk-a***wxyz" and [redacted]'],
    ['sk-proj-AbCd', 'sk-proj-AbCd'],
    ['sk-***xy', 'sk-***xy'],
    ['sk***wxyz', 'sk***wxyz'],
    ['sk-*** then wxyz', 'sk-*** then wxyz'],
    ['task-x.y', 'task-x.y'],
  ])('knows what masking leaves of it: %s', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it('knows a masked key whose own characters look like a mask', () => {
    expect(redact('no: xxx-a***xxx!', 'xxx-abcdefg-xxx')).toBe('no: [redacted]!');
    expect(redact('no: sk-xx***bbb', 'sk-xxxaaaaabbb')).toBe('no: [redacted]');
    expect(redact('no: sk-***xxx.', 'sk-aaaaaaaaxxx')).toMatch(/^no: \[redacted\]\.?$/);
  });

  it('takes a short key out where it is a word by itself', () => {
    expect(redact('s3.t! (s3.t) xs3.t s3.ts s3xt', 's3.t')).toBe('[redacted]! ([redacted]) xs3.t s3.ts s3xt');
  });

  it('leaves texts alone when there is no key', () => {
    expect(redact('anything ***', '')).toBe('anything ***');
  });

  it.each(['none', 'x', 'ollama', 'lm-studio', 'not-needed', 'EMPTY', '1234'])(
    'leaves what a model said alone when the key is no secret: %s',
    async (key) => {
      const said = `x = 5 and none of 1234; Ollama, lm-studio: not-needed, EMPTY (${key})`;
      expect(await new KeyRedaction(key).redactOutput(said)).toBe(said);
      expect(redact(`no such key: ${key}`, key)).toBe('no such key: [redacted]');
    },
  );

  it.each([KEY, 's3cret', 'sk-test-secret', 'abcdefghijklmnopqrst'])(
    'takes a secret out of what a model said: %s',
    async (key) => {
      expect(await new KeyRedaction(key).redactOutput(`you sent ${key}`)).toBe('you sent [redacted]');
    },
  );

  const keys = fc.string({ unit: fc.constantFrom('s', 'k', '-', 'x', '"', '\\', '/', '%', '.', 'é'), minLength: 7 });
  const texts = fc.string({ unit: fc.constantFrom('s', 'k', '-', 'x', '*', '"', '\\', ' ', '%', 'z') });

  it('leaves no trace of any key in any text', () => {
    fc.assert(
      fc.property(keys, texts, texts, (key, before, after) => {
        for (const spelled of [key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)]) {
          const redacted = redact(`${before}${spelled}${after}`, key);
          expect(redacted.replaceAll('[redacted]', '\0')).not.toContain(spelled);
        }
      }),
    );
  });

  it('leaves no masked key of any key in any text', () => {
    const plain = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'x', '-'), minLength: 14, maxLength: 20 });
    fc.assert(
      fc.property(
        plain,
        fc.nat(3),
        fc.nat(3),
        fc.string({ unit: fc.constantFrom('*', '.', '…', 'x'), minLength: 1, maxLength: 9 }),
        (key, first, last, mask) => {
          // Where the mask has a letter of the key, nobody can say which of the two a letter is.
          fc.pre(!mask.includes('x') || !key.includes('x'));
          const echo = `${key.slice(0, 3 + first)}${mask}${key.slice(-3 - last)}`;
          expect(redact(`bad key <${echo}>`, key)).toBe('bad key <[redacted]>');
        },
      ),
    );
  });

  it('clips without showing a part of a key, whatever the length of the text', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.nat(500), fc.integer({ min: 1, max: 80 }), (before, times, length) => {
        const text = `${'.'.repeat(before)}${`${KEY} `.repeat(times)}`;
        const excerpt = new KeyRedaction(KEY).excerpt(text, length);
        expect(excerpt.length).toBeLessThanOrEqual(length + 1);
        expect(excerpt).not.toMatch(/sk-|proj|0123|wxyz/);
      }),
    );
  });

  it('finds the key where pieces of a long text meet, and a masked one', () => {
    for (const before of [262_120, 262_144, 262_150, 1_048_560, 1_048_576]) {
      expect(redact(`${'.'.repeat(before)}${KEY}!`)).toBe(`${'.'.repeat(before)}[redacted]!`);
      expect(redact(`${' '.repeat(before)}sk-proj-AbCd****wxyz!`)).toBe(`${' '.repeat(before)}[redacted]!`);
    }
  });

  it('takes out all from where a text and its key take too long', () => {
    const redacted = redact(`a word; ${`aaa*b${'a'.repeat(400)}`.repeat(50)}`, 'a'.repeat(500));
    expect(redacted).toMatch(/^a word; .*\[redacted\]$/);
    expect(redacted.length).toBeLessThan(20_000);
  });

  it('stays quick on hostile texts and keys', () => {
    const started = process.cpuUsage();
    redact('x'.repeat(100_000), `${'x'.repeat(4_000)}y${'x'.repeat(4_000)}`);
    redact('xyx'.repeat(30_000), `${'xyx'.repeat(2_000)}zzz`);
    redact('\\'.repeat(100_000), `${'\\'.repeat(4_000)}"`);
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(3_000);
  });
});
