import { describe, expect, it } from '@jest/globals';
import { credentialsOf } from './credentials.js';

describe('credentialsOf', () => {
  it('finds them wherever a caller may put them', () => {
    const basic = Buffer.from('me:pass-word').toString('base64');
    const found = credentialsOf(
      {
        authorization: `Basic ${basic}`,
        'proxy-authorization': 'Bearer proxy-token',
        'x-api-key': 'sk-ant-1234',
        'api-key': 'azure-key-1',
        'x-goog-api-key': 'google-key',
        'x-spandrel-key': 'spn_sk_1234',
        cookie: 'a=cookie-one; b="cookie-two"',
      },
      '/v1/x?key=in%2Fquery&api_key=second-key&other=visible-value',
    );
    expect(new Set(found.texts)).toEqual(
      new Set([
        basic,
        'me:pass-word',
        'pass-word',
        'proxy-token',
        'sk-ant-1234',
        'azure-key-1',
        'google-key',
        'spn_sk_1234',
        'cookie-one',
        'cookie-two',
        'in%2Fquery',
        'in/query',
        'second-key',
      ]),
    );
  });

  it('takes stand-ins for ordinary words', () => {
    for (const standIn of ['ollama', 'EMPTY', 'x']) {
      expect(credentialsOf({ authorization: `Bearer ${standIn}` }, '/').texts).toEqual([]);
    }
    expect(credentialsOf({ authorization: 'Bearer s3.t' }, '/').texts).toEqual(['s3.t']);
  });
});
