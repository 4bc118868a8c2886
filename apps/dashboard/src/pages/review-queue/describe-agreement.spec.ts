import type { AgreementOfScores } from '@spandrel/contract';
import { describe, expect, it } from '@jest/globals';
import { describeAgreement } from './describe-agreement.js';

const agreement = (share: number | null, alpha: number | null, ac1: number | null = null): string =>
  describeAgreement({ percent_agreement: share, krippendorff_alpha: alpha, gwet_ac1: ac1 } as AgreementOfScores);

describe('agreement in words', () => {
  it('says what may be done with the answers', () => {
    expect(agreement(0.95, 0.81)).toContain('alpha is 0.81: reviewers agree, and their answers can be relied on');
    expect(agreement(0.9, 0.7)).toContain('tentative conclusions');
    expect(agreement(0.5, 0.1, 0.1)).toContain('differ too much');
  });

  it('does not call reviewers at odds who nearly always say the same', () => {
    expect(agreement(0.96, 0.2, 0.95)).toContain('AC1 of 0.95 says that reviewers agree');
  });

  it('says where nothing can be said', () => {
    expect(agreement(1, null, null)).toContain('all answers are the same');
    expect(agreement(null, null)).toContain('nobody else');
  });
});
