import { formatP, type ScoreVerdict } from './describe-scores.js';

type Verdict = ScoreVerdict['verdict'];

/** Members of a `RunDifference`, whose schema a page does not load; so for the others. */
interface Difference {
  what: string;
  run: unknown;
  baseline: unknown;
}

interface ComparedScores<Score> {
  score: Score;
  scorers: Readonly<Record<string, Score>>;
}

interface Scoring {
  comparable: ComparedScores<boolean> & { differences: readonly Difference[] };
}

interface Comparison extends ComparedScores<{ pairs: number; verdict: Verdict }>, Scoring {
  failures: {
    run: number;
    baseline: number;
    pairs: number;
    diff: number | null;
    p_value: number | null;
    verdict: Verdict;
  };
}

const LISTED_MAX = 3;
const VALUE_CHARACTERS_MAX = 40;

/** Differences of two runs in a few words: `pass_score 0.5 instead of 1; scorers.tone.judge.model "a" instead of "b"`. */
function describeDifferences(differences: readonly Difference[]): string {
  const listed = differences
    .slice(0, LISTED_MAX)
    .map(({ what, run, baseline }) => `${what} ${shortened(run)} instead of ${shortened(baseline)}`);
  const left = differences.length - listed.length;
  return [...listed, ...(left > 0 ? [`${left} more`] : [])].join('; ');
}

function shortened(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > VALUE_CHARACTERS_MAX ? `${text.slice(0, VALUE_CHARACTERS_MAX - 1)}…` : text;
}

/**
 * Why the scores of a run cannot be compared with those of its baseline (docs/spec/eval-statistics.md#runs-that-were-scored-differently).
 * @param scorer its name; `null`: the combined score. @returns a sentence without its end; `null` where they can.
 */
export function describeIncomparable({ comparable }: Scoring, scorer: string | null): string | null {
  const { score, scorers, differences } = comparable;
  if (scorer === null ? score : scorers[scorer] !== false) return null;
  const about = scorer === null ? differences : differences.filter(({ what }) => what.startsWith(`scorers.${scorer}.`));
  return `scored differently: ${describeDifferences(about)}`;
}

/** The combined score, or that of a scorer; `undefined` where there is no such scorer. */
export const findScore = <Score>({ score, scorers }: ComparedScores<Score>, scorer: string | null): Score | undefined =>
  scorer === null ? score : Object.hasOwn(scorers, scorer) ? scorers[scorer] : undefined;

interface RegressionRules {
  allow_different_scoring?: boolean | undefined;
  /** By how much the share of failed samples may rise; left out: failures do not count. */
  max_new_failures?: number | undefined;
}

interface JudgedRegression {
  /** `null` where nothing was compared. */
  actual: Verdict | null;
  passed: boolean;
  /** Why it does not hold, where the scores are not worse. */
  reason?: string;
}

const SAME = 1e-12;

/**
 * Judges the gate `no regression` (docs/spec/eval-gates.md#regression). It does not hold where the score is worse, where the runs
 * were scored differently, or where more samples fail: by the exact test, or by more than is allowed.
 * @param comparison with verdicts that do not heed how the runs were scored. @param scorer `null`: the combined score.
 */
export function judgeRegression(
  comparison: Comparison,
  scorer: string | null,
  { allow_different_scoring: isAllowed = false, max_new_failures: riseMax }: RegressionRules,
): JudgedRegression {
  const compared = findScore(comparison, scorer);
  if (compared === undefined || compared.pairs === 0) return { actual: null, passed: false };
  const incomparable = isAllowed ? null : describeIncomparable(comparison, scorer);
  if (incomparable !== null) return { actual: 'unknown', passed: false, reason: incomparable };
  const { failures } = comparison;
  const rose = riseMax !== undefined && (failures.verdict === 'worse' || (failures.diff ?? 0) > riseMax + SAME);
  if (compared.verdict === 'worse' || !rose) return { actual: compared.verdict, passed: compared.verdict !== 'worse' };
  return { actual: 'worse', passed: false, reason: describeFailures(failures) };
}

const describeFailures = ({ run, baseline, pairs, p_value: p }: Comparison['failures']): string =>
  `${run} of ${pairs} samples failed, ${baseline} in the baseline (p ${formatP(p)})`;
