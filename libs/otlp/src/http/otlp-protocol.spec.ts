import { describe, expect, it } from '@jest/globals';
import { exporterCredential } from './otlp-protocol.js';

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

describe('the credential of an exporter', () => {
  it.each<[string | undefined, string | undefined, string | undefined]>([
    ['Bearer a-key', undefined, 'a-key'],
    ['bearer  a-key ', undefined, 'a-key'],
    [basic('user:a-key'), undefined, 'a-key'],
    [basic('user:a:key'), undefined, 'a:key'],
    [basic('user:'), undefined, undefined],
    [basic('user'), undefined, undefined],
    [basic('user:two words'), undefined, undefined],
    ['Basic ***', undefined, undefined],
    ['a-key', undefined, 'a-key'],
    ['Digest a="b"', undefined, undefined],
    ['Digest a="b"', 'own', 'own'],
    ['', undefined, undefined],
    [undefined, 'own', 'own'],
    [undefined, 'two words', undefined],
    [undefined, undefined, undefined],
    ['Bearer a-key', 'own', 'a-key'],
    [basic('user:'), 'own', 'own'],
  ])('of Authorization %j and X-Api-Key %j is %j', (authorization, key, expected) => {
    expect(
      exporterCredential({
        ...(authorization !== undefined && { authorization }),
        ...(key !== undefined && { 'x-api-key': key }),
      }),
    ).toBe(expected);
  });
});
