import type { MaskingResource, MaskingRule } from '@spandrel/contract';
import { describe, expect, it } from '@jest/globals';
import { draftsOf, FIELDS, isChanged, newDraft, rulesOf, withField, withMasker } from './masking-draft.js';

const masking: MaskingResource = {
  project_id: 'p',
  rules: [],
  updated_at: null,
  maskers: [
    { name: 'email', label: 'email', config_schema: null },
    { name: 'pattern', label: 'own', config_schema: {} },
  ],
};
const rule: MaskingRule = { masker: 'email', fields: ['input'], replace: 'hash', label: 'email', config: {} };

describe('drafts of masking rules', () => {
  it('are the rules until something is changed', () => {
    const drafts = draftsOf([rule, rule]);
    expect(new Set(drafts.map(({ key }) => key)).size).toBe(2);
    expect(rulesOf(drafts)).toEqual([rule, rule]);
    expect(isChanged(drafts, [rule, rule])).toBe(false);
    expect(isChanged(drafts.slice(1), [rule, rule])).toBe(true);
  });

  it('begin with a masker that no rule names, for everything', () => {
    expect(newDraft(masking, [])).toMatchObject({ masker: 'email', fields: FIELDS, replace: 'label' });
    expect(newDraft(masking, [rule])).toMatchObject({ masker: 'pattern', label: 'own' });
    expect(newDraft({ ...masking, maskers: [] }, [])).toBeUndefined();
  });

  it('take label and config of another masker, and keep fields in their order', () => {
    const [draft] = draftsOf([{ ...rule, masker: 'pattern', config: { pattern: 'x' } }]);
    expect(withMasker(draft!, 'email', masking)).toMatchObject({ masker: 'email', label: 'email', config: {} });
    expect(withField(withField(draft!, 'error', true), 'input', false).fields).toEqual(['error']);
    expect(withField(withField(draft!, 'identity', true), 'output', true).fields).toEqual([
      'input',
      'output',
      'identity',
    ]);
  });
});
