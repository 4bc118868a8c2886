import type { AgreementOfScores, ScoreLevel } from '@spandrel/contract';

/** What each rater said of one unit: the answer's place in the order of answers. */
export type Unit = ReadonlyMap<string, number>;

/** Resamples of a bootstrap interval, and its level. */
const RESAMPLES = 2_000;
const LEVEL = 0.95;

/**
 * How far raters agree (docs/evaluations.md#agreement). Units with fewer than two ratings are left out.
 * @param values what each answer counts as, by its place: for the level `interval`.
 * @returns in steps, for `inTurns`: a bootstrap of many units takes a while.
 */
export function* measureAgreement(
  all: readonly Unit[],
  level: ScoreLevel,
  values: readonly number[],
): Generator<void, Omit<AgreementOfScores, 'name' | 'level'>> {
  const units = all.filter(({ size }) => size >= 2);
  const raters = [...new Set(units.flatMap((unit) => [...unit.keys()]))].toSorted();
  const rated = units.map(countAnswers);
  const intervals = yield* bootstrap(rated, level, values);
  return {
    units: units.length,
    ratings: units.reduce((sum, { size }) => sum + size, 0),
    raters: raters.length,
    percent_agreement: percentAgreement(rated),
    cohen_kappa: raters.length === 2 ? cohenKappa(units, raters[0]!, raters[1]!) : null,
    fleiss_kappa: fleissKappa(rated, values.length),
    krippendorff_alpha: krippendorffAlpha(rated, level, values),
    gwet_ac1: gwetAc1(rated, values.length),
    ...intervals,
    pairs: raters.flatMap((a, at) =>
      raters.slice(at + 1).flatMap((b) => {
        const both = units.filter((unit) => unit.has(a) && unit.has(b));
        if (both.length === 0) return [];
        const agreed = both.filter((unit) => unit.get(a) === unit.get(b));
        return [
          {
            a,
            b,
            units: both.length,
            percent_agreement: agreed.length / both.length,
            cohen_kappa: cohenKappa(both, a, b),
          },
        ];
      }),
    ),
  };
}

/** How often answers were given: those that were, with their numbers. */
type Counts = readonly (readonly [answer: number, count: number])[];

/** What was said of a unit. */
interface Rated {
  ratings: number;
  counts: Counts;
}

function countAnswers(unit: Unit): Rated {
  const counts = Map.groupBy(unit.values(), (answer) => answer);
  return { ratings: unit.size, counts: [...counts].map(([answer, given]) => [answer, given.length]) };
}

/** How often each answer was given to all units. @param weight of a rating of a unit. */
function totalsOf(rated: readonly Rated[], answers: number, weight: (unit: Rated) => number): number[] {
  const totals = Array.from({ length: answers }, () => 0);
  for (const unit of rated) {
    const each = weight(unit);
    for (const [answer, count] of unit.counts) totals[answer]! += count * each;
  }
  return totals;
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/** The mean share of pairs of ratings of a unit that agree. */
function percentAgreement(rated: readonly Rated[]): number | null {
  if (rated.length === 0) return null;
  let agreeing = 0;
  for (const { ratings, counts } of rated) {
    for (const [, count] of counts) agreeing += (count * (count - 1)) / (ratings * (ratings - 1));
  }
  return agreeing / rated.length;
}

/** `null` where no disagreement was to be expected: then nothing is shown by there being none. */
const beyondChance = (observed: number, expected: number): number | null =>
  expected === 1 ? null : (observed - expected) / (1 - expected);

/** Cohen (1960), over the units that both rated. */
function cohenKappa(units: readonly Unit[], a: string, b: string): number | null {
  const both = units.filter((unit) => unit.has(a) && unit.has(b));
  if (both.length === 0) return null;
  const share = (rater: string, answer: number): number =>
    both.filter((unit) => unit.get(rater) === answer).length / both.length;
  const answers = [...new Set(both.map((unit) => unit.get(a)!))];
  const expected = sumOf(answers.map((answer) => share(a, answer) * share(b, answer)));
  return beyondChance(both.filter((unit) => unit.get(a) === unit.get(b)).length / both.length, expected);
}

/** Fleiss (1971); of units with equally many ratings alone. */
function fleissKappa(rated: readonly Rated[], answers: number): number | null {
  const [first] = rated;
  if (!first || rated.some(({ ratings }) => ratings !== first.ratings)) return null;
  const all = first.ratings * rated.length;
  const shares = totalsOf(rated, answers, () => 1).map((total) => total / all);
  return beyondChance(percentAgreement(rated)!, sumOf(shares.map((share) => share ** 2)));
}

/** Gwet (2008): where nearly all answers are the same, kappa collapses and this does not. */
function gwetAc1(rated: readonly Rated[], answers: number): number | null {
  if (rated.length === 0 || answers < 2) return null;
  const shares = totalsOf(rated, answers, ({ ratings }) => 1 / ratings).map((total) => total / rated.length);
  const expected = sumOf(shares.map((share) => share * (1 - share))) / (answers - 1);
  return beyondChance(percentAgreement(rated)!, expected);
}

/** Krippendorff (2011): one minus observed over expected disagreement. */
function krippendorffAlpha(rated: readonly Rated[], level: ScoreLevel, values: readonly number[]): number | null {
  const totals = totalsOf(rated, values.length, () => 1);
  const all = sumOf(totals);
  const places = level === 'ordinal' ? middleRanks(totals) : values;
  const expected = disagreement([...totals.entries()], all, level, places);
  let observed = 0;
  for (const { ratings, counts } of rated) observed += disagreement(counts, ratings, level, places) / (ratings - 1);
  return expected === 0 ? null : 1 - ((all - 1) * observed) / expected;
}

/** The sum of squared distances over all pairs of ratings. @param ratings how many there are. @param places of the answers. */
function disagreement(counts: Counts, ratings: number, level: ScoreLevel, places: readonly number[]): number {
  let [given, sum, squares, apart] = [0, 0, 0, 0];
  for (const [answer, count] of counts) {
    given += Number(count > 0);
    sum += count * places[answer]!;
    squares += count ** 2;
  }
  if (given < 2) return 0;
  if (level === 'nominal') return (ratings ** 2 - squares) / 2;
  for (const [answer, count] of counts) apart += count * (places[answer]! - sum / ratings) ** 2;
  return ratings * apart;
}

/** Where answers stand among all ratings: how far two are apart is how many ratings lie between their middles. */
function middleRanks(totals: readonly number[]): number[] {
  let before = 0;
  return totals.map((total) => (before += total) - total / 2);
}

/** Percentile intervals over units drawn again, by a fixed seed: the same data have the same intervals. */
function* bootstrap(
  rated: readonly Rated[],
  level: ScoreLevel,
  values: readonly number[],
): Generator<void, Pick<AgreementOfScores, 'percent_agreement_ci' | 'krippendorff_alpha_ci' | 'gwet_ac1_ci'>> {
  const random = seeded(rated.length);
  const found: Record<'percent' | 'alpha' | 'ac1', number[]> = { percent: [], alpha: [], ac1: [] };
  for (let sample = 0; rated.length > 1 && sample < RESAMPLES; sample++) {
    const drawn = rated.map(() => rated[Math.floor(random() * rated.length)]!);
    found.percent.push(percentAgreement(drawn)!);
    const alpha = krippendorffAlpha(drawn, level, values);
    const ac1 = gwetAc1(drawn, values.length);
    if (alpha !== null) found.alpha.push(alpha);
    if (ac1 !== null) found.ac1.push(ac1);
    yield;
  }
  return {
    percent_agreement_ci: percentiles(found.percent),
    krippendorff_alpha_ci: percentiles(found.alpha),
    gwet_ac1_ci: percentiles(found.ac1),
  };
}

function percentiles(values: readonly number[]): { low: number; high: number; level: number } | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
  return { low: at((1 - LEVEL) / 2), high: at((1 + LEVEL) / 2), level: LEVEL };
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
