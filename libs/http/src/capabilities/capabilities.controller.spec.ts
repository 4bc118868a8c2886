import { describe, expect, it } from '@jest/globals';
import { LOCAL_SCOPE } from '@spandrel/kernel';
import { Capabilities } from './capabilities.controller.js';

describe('Capabilities', () => {
  it('are empty where no feature provides them', async () => {
    expect(await new Capabilities().all(null)).toEqual({
      providers: [],
      scorers: [],
      search_modes: [],
      retention_days: null,
      claim_timeout: null,
      evals_paused: false,
      import_file_bytes: null,
      compared_runs: null,
      sharing: false,
      alert_email: false,
    });
  });

  it('are what features provide for the caller', async () => {
    const capabilities = new Capabilities();
    capabilities.provide('claim_timeout', () => 60);
    capabilities.provide('retention_days', (scope) => Promise.resolve(scope ? 30 : null));
    expect(await capabilities.all(LOCAL_SCOPE)).toMatchObject({ claim_timeout: 60, retention_days: 30 });
    expect(await capabilities.all(null)).toMatchObject({ claim_timeout: 60, retention_days: null });
  });

  it('are provided by one feature each', () => {
    const capabilities = new Capabilities();
    capabilities.provide('compared_runs', () => 4);
    expect(() => capabilities.provide('compared_runs', () => 5)).toThrow('compared_runs');
  });
});
