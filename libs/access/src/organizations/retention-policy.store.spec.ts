import { describe, expect, it } from '@jest/globals';
import { FOR_EVER, organizationDays, projectDays } from './retention-policy.store.js';

const DAYS = { starter: 7, team: 30, enterprise: 90 };

describe('how long traces are kept', () => {
  it.each([
    ['as the plan says', null, null, 30],
    ['shorter, where the project wants it', null, 3, 3],
    ['no longer than the plan says, whatever the project wants', null, 31, 30],
    ['as the operator says', 400, null, 400],
    ['as the project says within what the operator says', 400, 90, 90],
    ['for ever, where the operator says so', FOR_EVER, null, null],
    ['as the project says, where the organization keeps for ever', FOR_EVER, 90, 90],
  ])('%s', (_what, retentionDays, own, kept) => {
    expect(projectDays(organizationDays(DAYS, { plan: 'team', retentionDays }), own)).toBe(kept);
  });
});
