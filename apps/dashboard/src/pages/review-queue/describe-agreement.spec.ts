import type { AgreementOfScores } from '@spandrel/contract';
import { describe, expect, it } from '@jest/globals';
import { describeAgreement, kappaOf } from './describe-agreement.js';

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

describe('the kappa of a judge', () => {
  const ci = { low: 0, high: 1, level: 0.95 };
  const kappa = (share: number, passes: number | null, fails: number | null): number | null => {
    const [passed, failed] = [passes, fails].map((rate) => (rate === null ? null : { rate, ci }));
    const rest = { judge: { mean: 0.5, n: 0 }, corrected: null };
    return kappaOf({ ...rest, human: { mean: share, k: 50 }, true_pass_rate: passed!, true_fail_rate: failed! });
  };

  it('is that of the usual example: 20 and 15 of 50 alike, 5 and 10 not', () => {
    expect(kappa(0.5, 20 / 25, 15 / 25)).toBeCloseTo(0.4, 12);
  });

  it('is 0 where people pass all and the judge does not, and nothing where all are alike or nothing passes and fails', () => {
    expect(kappa(1, 0.8, null)).toBeCloseTo(0, 12);
    expect([kappa(1, 1, null), kappa(0.5, null, null)]).toEqual([null, null]);
  });
});
