import type { AgreementOfScores, ScoreQuality } from '@spandrel/contract';
import { formatScore, formatShare } from '@spandrel/contract/browser';

interface Measure {
  member: 'percent_agreement' | 'cohen_kappa' | 'fleiss_kappa' | 'krippendorff_alpha' | 'gwet_ac1';
  interval?: 'percent_agreement_ci' | 'krippendorff_alpha_ci' | 'gwet_ac1_ci';
  name: string;
  meaning: string;
  format?: typeof formatShare;
}

/** The measures of agreement, with what each says (docs/evaluations.md#agreement). */
export const MEASURES: readonly Measure[] = [
  {
    ...{ member: 'percent_agreement', interval: 'percent_agreement_ci', name: 'Same answer', format: formatShare },
    meaning:
      'How often two reviewers gave the same answer. It is high by chance alone where nearly all answers are alike.',
  },
  {
    ...{ member: 'cohen_kappa', name: "Cohen's kappa" },
    meaning: 'Agreement of exactly two reviewers, beyond chance.',
  },
  {
    ...{ member: 'fleiss_kappa', name: "Fleiss' kappa" },
    meaning: 'Agreement beyond chance where every datapoint has equally many reviews.',
  },
  {
    ...{ member: 'krippendorff_alpha', interval: 'krippendorff_alpha_ci', name: "Krippendorff's alpha" },
    meaning: 'Agreement beyond chance for any number of reviewers. In numbers, near misses count less than far ones.',
  },
  {
    ...{ member: 'gwet_ac1', interval: 'gwet_ac1_ci', name: "Gwet's AC1" },
    meaning: 'Agreement beyond chance that holds where nearly all answers are alike, which makes the kappas collapse.',
  },
];

/** Alpha from which Krippendorff calls data reliable, and that from which tentative conclusions are allowed. */
const RELIABLE = 0.8;
const TENTATIVE = 0.667;
/** Share of pairs from which answers are nearly all alike. */
const NEARLY_ALL = 0.9;

/** What the agreement on a score means for those who use it. */
export function describeAgreement(scores: AgreementOfScores): string {
  const { krippendorff_alpha: alpha, gwet_ac1: ac1, percent_agreement: share } = scores;
  if (share === null) return 'nobody else has reviewed the same items yet.';
  if (alpha === null) return 'all answers are the same, so that nothing shows whether reviewers would differ.';
  const words = `alpha is ${formatScore(alpha)}`;
  if (alpha >= RELIABLE) return `${words}: reviewers agree, and their answers can be relied on.`;
  if (alpha < TENTATIVE && share >= NEARLY_ALL && ac1 !== null && ac1 >= RELIABLE)
    return `${words}, but nearly all answers are alike: AC1 of ${formatScore(ac1)} says that reviewers agree.`;
  if (alpha >= TENTATIVE) return `${words}: reviewers agree enough for tentative conclusions.`;
  return `${words}: reviewers differ too much to rely on the answers. Clearer instructions or a simpler form help.`;
}

/** Cohen's kappa of a judge and people; `null` where they do not pass and fail, or could not disagree. */
export function kappaOf({
  human: { mean, k },
  true_pass_rate: passes,
  true_fail_rate: fails,
}: Omit<ScoreQuality, 'key'>): number | null {
  if (mean === null || k === 0 || (passes === null && fails === null)) return null;
  const [bothPass, bothFail] = [mean * (passes?.rate ?? 0), (1 - mean) * (fails?.rate ?? 0)];
  const judgePasses = bothPass + (1 - mean) - bothFail;
  const expected = mean * judgePasses + (1 - mean) * (1 - judgePasses);
  return expected > 1 - 1e-9 ? null : (bothPass + bothFail - expected) / (1 - expected);
}
