import type { EvalRunResource, StartEval } from '@spandrel/contract';

/** What the form of a run holds. Numbers are texts, since they may be half written. */
export interface RunFields {
  dataset: string;
  connection: string;
  model: string;
  name: string;
  systemPrompt: string;
  temperature: string;
  maxTokens: string;
  scoring: string;
  scoringConfig: string;
  judgeConnection: string;
  judgeModel: string;
  rubric: string;
}

export const EMPTY_FIELDS: RunFields = {
  ...{ dataset: '', connection: '', model: '', name: '', systemPrompt: '', temperature: '', maxTokens: '' },
  ...{ scoring: '', scoringConfig: '', judgeConnection: '', judgeModel: '', rubric: '' },
};

/** The form of a run that is made again. */
export function fieldsOfRun({ dataset_id, name, config, scoring, scoring_config }: EvalRunResource): RunFields {
  return {
    dataset: dataset_id,
    connection: config.connection_id,
    model: config.model,
    name,
    systemPrompt: config.system_prompt ?? '',
    temperature: String(config.temperature ?? ''),
    maxTokens: String(config.max_tokens ?? ''),
    scoring,
    scoringConfig: scoring_config === null ? '' : JSON.stringify(scoring_config, null, 2),
    judgeConnection: config.judge?.connection_id ?? '',
    judgeModel: config.judge?.model ?? '',
    rubric: config.judge?.rubric ?? '',
  };
}

/** Whether a model scores. */
export const JUDGE = 'LlmJudge';

/**
 * The body that starts a run; what was left empty is left out, and a run without a name has that of its model.
 * @throws SyntaxError where the settings of the scoring are no JSON.
 */
export function startOf(fields: RunFields): StartEval {
  const { scoringConfig } = fields;
  return {
    name: fields.name.trim() || fields.model.trim(),
    scoring: fields.scoring,
    config: {
      connection_id: fields.connection,
      ...(fields.model.trim() !== '' && { model: fields.model.trim() }),
      ...(fields.systemPrompt !== '' && { system_prompt: fields.systemPrompt }),
      ...(fields.temperature !== '' && { temperature: Number(fields.temperature) }),
      ...(fields.maxTokens !== '' && { max_tokens: Number(fields.maxTokens) }),
      ...(fields.scoring === JUDGE && { judge: judgeOf(fields) }),
    },
    ...(scoringConfig.trim() !== '' && { scoring_config: JSON.parse(scoringConfig) as StartEval['scoring_config'] }),
  };
}

function judgeOf({ judgeConnection, judgeModel, rubric }: RunFields) {
  return {
    ...(judgeConnection !== '' && { connection_id: judgeConnection }),
    ...(judgeModel.trim() !== '' && { model: judgeModel.trim() }),
    ...(rubric !== '' && { rubric }),
  };
}

/** How many calls of models a run makes, in words: one for each datapoint, and another for each judgement. */
export function describeCalls(datapoints: number, scoring: string): string {
  const calls = scoring === JUDGE ? datapoints * 2 : datapoints;
  const words = `This makes ${calls.toLocaleString('en-US')} ${calls === 1 ? 'call' : 'calls'}`;
  return scoring === JUDGE
    ? `${words}: one for each datapoint, and one of the judge.`
    : `${words}: one for each datapoint.`;
}
