import type { StartEvalScorer } from '../api/schema.js';
import { DefinitionError } from './definition-error.js';
import { isObject } from './json.js';
import { assertKnown, numberFrom } from './check-members.js';
import type { ScorerFunction } from './scorer.js';

/** A scorer of an eval in its place. */
export interface PlannedScorer {
  /** Undefined while a function without a name has not reported it by an answer. */
  name: string | undefined;
  /** Undefined for a scorer of the server. */
  score: ScorerFunction | undefined;
  /** What the start of the run says of it beside its name. */
  body: Omit<StartEvalScorer, 'name'>;
}

const SCORERS_MAX = 16;
/** The scorer of the API that takes the caller's scores. */
const EXTERNAL = 'External';
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const NAME_LENGTH_MAX = 64;

/** @throws DefinitionError at the place of what is no scorer. */
export function planScorers(scorers: unknown): PlannedScorer[] {
  if (!Array.isArray(scorers)) throw new DefinitionError('scorers must be a list');
  if (scorers.length > SCORERS_MAX) {
    throw new DefinitionError(`scorers has ${scorers.length} entries; a run takes ${SCORERS_MAX} at most`);
  }
  const planned = scorers.map((scorer: unknown, place) => planScorer(scorer, `scorers[${place}]`));
  assertDistinct(planned.map(({ name }) => name));
  return planned;
}

function planScorer(scorer: unknown, path: string): PlannedScorer {
  if (typeof scorer === 'function') {
    return { name: nameOfFunction(scorer), score: scorer as ScorerFunction, body: { scoring: EXTERNAL } };
  }
  if (isObject(scorer) && 'score' in scorer) return planOwn(scorer, path);
  if (isObject(scorer) && 'scoring' in scorer) return planServer(scorer, path);
  throw new DefinitionError(`${path} must be a function, or what scorer(…) or server(…) gives`);
}

function planOwn(scorer: Record<string, unknown>, path: string): PlannedScorer {
  assertKnown(scorer, ['name', 'score', 'weight', 'passScore'], path);
  if (typeof scorer['score'] !== 'function') throw new DefinitionError(`${path}.score must be a function`);
  const body = { scoring: EXTERNAL, ...optionsOf(scorer, path) };
  return { name: checkedName(scorer['name'], `${path}.name`), score: scorer['score'] as ScorerFunction, body };
}

function planServer(scorer: Record<string, unknown>, path: string): PlannedScorer {
  assertKnown(scorer, ['name', 'scoring', 'judge', 'config', 'weight', 'passScore'], path);
  const { scoring, name = scoring, judge, config } = scorer;
  if (typeof scoring !== 'string' || scoring === '') throw new DefinitionError(`${path}.scoring must be a text`);
  if (scoring === EXTERNAL) throw new DefinitionError(`${path}: give the function itself, not server('External')`);
  if (config !== undefined && !isObject(config)) throw new DefinitionError(`${path}.config must be an object`);
  const body = {
    scoring,
    ...(config !== undefined && { scoring_config: config }),
    ...(judge !== undefined && { judge: judgeOf(judge, `${path}.judge`) }),
    ...optionsOf(scorer, path),
  };
  return { name: checkedName(name, `${path}.name`), score: undefined, body };
}

function judgeOf(judge: unknown, path: string): NonNullable<StartEvalScorer['judge']> {
  if (!isObject(judge)) throw new DefinitionError(`${path} must be { connectionId, model, rubric }`);
  assertKnown(judge, ['connectionId', 'model', 'rubric'], path);
  for (const [name, text] of Object.entries(judge)) {
    if (text !== undefined && typeof text !== 'string') throw new DefinitionError(`${path}.${name} must be a text`);
  }
  const { connectionId, model, rubric } = judge as { connectionId?: string; model?: string; rubric?: string };
  return {
    ...(connectionId !== undefined && { connection_id: connectionId }),
    ...(model !== undefined && { model }),
    ...(rubric !== undefined && { rubric }),
  };
}

function optionsOf(scorer: Record<string, unknown>, path: string): Pick<StartEvalScorer, 'weight' | 'pass_score'> {
  const weight = numberFrom(scorer['weight'], `${path}.weight`, 0, Infinity);
  const passScore = numberFrom(scorer['passScore'], `${path}.passScore`, 0, 1);
  return { ...(weight !== undefined && { weight }), ...(passScore !== undefined && { pass_score: passScore }) };
}

function checkedName(name: unknown, path: string): string {
  if (typeof name === 'string' && NAME.test(name)) return name;
  throw new DefinitionError(`${path} must be 1 to 64 characters of A-Z, a-z, 0-9, "_", "." and "-"`);
}

/** A name as scorers may have it; undefined where nothing of it is left. */
export function scorerName(text: string): string | undefined {
  const name = text
    .trim()
    .replace(/[^A-Za-z0-9_.-]+/g, '_')
    .slice(0, NAME_LENGTH_MAX);
  return name === '' ? undefined : name;
}

const nameOfFunction = (score: { name: string }): string | undefined =>
  scorerName(score.name.replace(/^(bound )+/, ''));

function assertDistinct(names: readonly (string | undefined)[]): void {
  const twice = names.find((name, place) => name !== undefined && names.indexOf(name) !== place);
  if (twice === undefined) return;
  throw new DefinitionError(`two scorers are named "${twice}"; give one another name with scorer(name, function)`);
}

/**
 * @param told the names that answers of the scorers had, by place.
 * @returns the name of each scorer: that which it has, else that which it reported, else one by its place.
 * @throws DefinitionError when two are the same.
 */
export function finalNames(
  scorers: readonly PlannedScorer[],
  reported: readonly (string | undefined)[] = [],
): string[] {
  const names = scorers.map(({ name }, place) => name ?? reported[place] ?? `scorer-${place + 1}`);
  assertDistinct(names);
  return names;
}
