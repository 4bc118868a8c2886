import { describe, expect, it } from '@jest/globals';
import { UsageFault } from '../exit-codes.js';
import { readRequest } from './call-api.js';

describe('the words of spandrel api', () => {
  it('are a query for what reads', () => {
    expect(readRequest('get', 'api/spans', ['tag=a', 'tag=b=c', 'metadata.k=', 'x==y'], false)).toEqual({
      method: 'GET',
      path: '/api/spans',
      query: { tag: ['a', 'b=c'], 'metadata.k': [''], x: ['y'] },
      body: undefined,
    });
  });

  it('are members of a body for what writes, texts unless JSON is meant', () => {
    const { query, body } = readRequest(
      'POST',
      '/api/x',
      ['name=1', 'n:=12345678901234567890.1', 'l:=[1,"a"]', 'q==2', '__proto__=p'],
      false,
    );
    expect(query).toEqual({ q: ['2'] });
    expect(JSON.stringify(body)).toBe('{"name":"1","n":12345678901234567890.1,"l":[1,"a"],"__proto__":"p"}');
    expect(readRequest('PUT', '/api/x', ['filename=a.csv'], true)).toMatchObject({
      query: { filename: ['a.csv'] },
      body: undefined,
    });
    expect(readRequest('POST', '/api/x', [], false).body).toBeUndefined();
  });

  it('are refused where they make no request, and where a key would go elsewhere', () => {
    for (const [method, path, parameters, hasFile] of [
      ['FETCH', '/api', [], false],
      ['GET', 'https://elsewhere.example/api', [], false],
      ['GET', '//elsewhere.example/api', [], false],
      ['GET', '/api/a b', [], false],
      ['GET', '/api', ['novalue'], false],
      ['GET', '/api', ['=v'], false],
      ['GET', '/api', ['k:=1'], false],
      ['GET', '/api', [], true],
      ['POST', '/api', ['k:=1'], true],
      ['POST', '/api', ['k:={'], false],
      ['POST', '/api', ['k=1', 'k=2'], false],
    ] as const) {
      expect(() => readRequest(method, path, parameters, hasFile)).toThrow(UsageFault);
    }
  });
});
