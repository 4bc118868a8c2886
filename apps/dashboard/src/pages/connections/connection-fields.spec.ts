import type { ConnectionResource, ProviderCapability } from '@spandrel/contract';
import { describe, expect, it } from '@jest/globals';
import { changeOf, creationOf, fieldsOf, keyRule } from './connection-fields.js';

const provider = (name: string, needs_key: boolean): ProviderCapability => ({
  name,
  needs_key,
  needs_base_url: !needs_key,
  default_base_url: null,
});
const stored: ConnectionResource = {
  key_status: 'readable',
  id: 'c',
  name: 'Ours',
  provider: 'custom',
  base_url: 'http://127.0.0.1:1/v1',
  default_model: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};
const fields = fieldsOf(stored, []);

describe('fields of a connection', () => {
  it('begin with the first provider that there is', () => {
    expect(fieldsOf(null, [provider('openai', true)])).toEqual({
      ...{ name: '', provider: 'openai', baseUrl: '', defaultModel: '' },
    });
  });

  it('want a key where the provider does', () => {
    expect(keyRule(null, fields, provider('openai', true)).isRequired).toBe(true);
    expect(keyRule(null, fields, provider('custom', false)).isRequired).toBe(false);
    expect(keyRule(null, fields, undefined).isRequired).toBe(false);
  });

  it('want it again where it would go to another server, and only there', () => {
    const needed = provider('custom', true);
    expect(keyRule(stored, { ...fields, baseUrl: 'http://127.0.0.1:1/other' }, needed).isRequired).toBe(false);
    expect(keyRule(stored, { ...fields, baseUrl: 'http://127.0.0.1:2/v1' }, needed).isRequired).toBe(true);
    expect(keyRule(stored, { ...fields, baseUrl: '' }, needed).isRequired).toBe(true);
    expect(keyRule(stored, { ...fields, provider: 'openai' }, needed).isRequired).toBe(true);
  });

  it('make a body that leaves out a key that is to stay, and clears what was emptied', () => {
    expect(creationOf({ ...fields, name: ' Ours ', baseUrl: ' ' }, 'k')).toEqual({
      ...{ name: 'Ours', provider: 'custom', api_key: 'k', base_url: null, default_model: null },
    });
    expect(changeOf(stored, fields, '')).not.toHaveProperty('api_key');
    expect(changeOf(stored, fields, 'k')).toHaveProperty('api_key', 'k');
    expect(changeOf(stored, { ...fields, baseUrl: 'http://127.0.0.1:2' }, '')).toHaveProperty('api_key', '');
  });
});
