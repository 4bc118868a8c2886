import type { EvalRunResource, RunScorer, StartEval } from '@spandrel/contract';
import { FormFault } from '../../api/form-faults.js';
import { JUDGES } from '../scorer-words.js';

/** What the fields of a scorer hold. Numbers are texts, since they may be half written. */
export interface ScorerFields {
  /** `''` for that of the scoring. */
  name: string;
  scoring: string;
  /** JSON of the scoring's settings. */
  settings: string;
  weight: string;
  /** `''` for that of the run. */
  passScore: string;
  judgeConnection: string;
  judgeModel: string;
  rubric: string;
  /** `''` for the usual one, {@link NO_TEMPERATURE} for none. */
  judgeTemperature: string;
}

/** A judge that is asked without a temperature. */
const NO_TEMPERATURE = 'none';

export const EMPTY_SCORER: ScorerFields = {
  ...{ name: '', scoring: '', settings: '', weight: '', passScore: '' },
  ...{ judgeConnection: '', judgeModel: '', rubric: '', judgeTemperature: '' },
};

/** Whether a scorer asks a model, as far as its members show where what it can do is not known: only then is its judge sent. */
const asksModel = ({ scoring, judgeConnection, judgeModel }: ScorerFields): boolean =>
  JUDGES.includes(scoring) || judgeConnection !== '' || judgeModel.trim() !== '';

/** Scores that the caller of an external run gives; a run that is started here has none. */
const EXTERNAL = 'External';

type StartScorer = NonNullable<StartEval['scorers']>[number];

/** The name that a scorer has in its run. */
export const nameOfScorer = ({ name, scoring }: Pick<ScorerFields, 'name' | 'scoring'>): string =>
  name.trim() || scoring;

/** The scorers of a run that is made again; a judge gets all that the run's own got. */
export function scorersOfRun({ scorers, config, pass_score: passScore }: EvalRunResource): ScorerFields[] {
  const own = scorers.filter(({ scoring }) => scoring !== EXTERNAL);
  return own.map((scorer) => fieldsOfScorer(scorer, config.judge, passScore));
}

function fieldsOfScorer(scorer: RunScorer, judge: RunScorer['judge'], passScore: number): ScorerFields {
  const { name, scoring, scoring_config: settings, weight } = scorer;
  const { temperature = judge?.temperature } = scorer.judge ?? {};
  return {
    name: name === scoring ? '' : name,
    scoring,
    settings: settings === null ? '' : JSON.stringify(settings, null, 2),
    weight: weight === 1 ? '' : String(weight),
    passScore: scorer.pass_score === passScore ? '' : String(scorer.pass_score),
    judgeConnection: scorer.judge?.connection_id ?? judge?.connection_id ?? '',
    judgeModel: scorer.judge?.model ?? judge?.model ?? '',
    rubric: scorer.judge?.rubric ?? judge?.rubric ?? '',
    judgeTemperature: temperature === null ? NO_TEMPERATURE : String(temperature ?? ''),
  };
}

type Scoring = Pick<StartEval, 'scoring' | 'scoring_config' | 'scorers'> & { judge?: StartScorer['judge'] };

/**
 * What is sent to the API of the scorers: one without more than its scoring as that, with the judge of the run.
 * @throws FormFault where the settings of a scoring are no JSON.
 */
export function scoringOf(scorers: readonly ScorerFields[]): Scoring {
  const [only, ...others] = scorers;
  const isMoreThanScoring = only!.name.trim() !== '' || only!.weight !== '' || only!.passScore !== '';
  if (others.length > 0 || isMoreThanScoring) return { scorers: scorers.map(startScorer) };
  return {
    scoring: only!.scoring,
    ...(asksModel(only!) && { judge: judgeOf(only!) }),
    ...settingsOf(only!, 'scoring_config'),
  };
}

function startScorer(scorer: ScorerFields, at: number): StartScorer {
  const { scoring, weight, passScore } = scorer;
  return {
    name: nameOfScorer(scorer),
    scoring,
    ...settingsOf(scorer, `scorers.${at}.scoring_config`),
    ...(asksModel(scorer) && { judge: judgeOf(scorer) }),
    ...(weight !== '' && { weight: Number(weight) }),
    ...(passScore !== '' && { pass_score: Number(passScore) }),
  };
}

function settingsOf({ settings }: ScorerFields, path: string): Pick<StartEval, 'scoring_config'> {
  if (settings.trim() === '') return {};
  try {
    return { scoring_config: JSON.parse(settings) as StartEval['scoring_config'] };
  } catch (error) {
    throw new FormFault(path, `is not JSON: ${(error as Error).message}`);
  }
}

function judgeOf({ judgeConnection, judgeModel, rubric, judgeTemperature }: ScorerFields) {
  const temperature = judgeTemperature.trim();
  return {
    ...(temperature !== '' && { temperature: temperature === NO_TEMPERATURE ? null : Number(temperature) }),
    ...(judgeConnection !== '' && { connection_id: judgeConnection }),
    ...(judgeModel.trim() !== '' && { model: judgeModel.trim() }),
    ...(rubric !== '' && { rubric }),
  };
}
