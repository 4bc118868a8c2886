import { readPairs } from './pairs.js';

/** A scorer of a run as the API takes it; `judge.connection_id` may still be the name of a connection. */
export interface ScorerBody {
  name?: string;
  scoring: string;
  scoring_config?: Record<string, unknown>;
  judge?: { connection_id?: string; model?: string; rubric?: string };
  weight?: number;
  pass_score?: number;
}

const CONFIG = 'config.';
const MEMBERS = [
  'name',
  'scoring',
  'weight',
  'pass_score',
  'rubric',
  'judge_model',
  'judge_connection',
  'config',
] as const;
type Member = (typeof MEMBERS)[number];

/**
 * Reads a scorer as `--scorer` takes it: `name=tone,scoring=LlmJudge,rubric=@tone.txt,weight=2`.
 * @param readFile the text of a file: a value that begins with `@` names one (`@@` for a text that begins with `@`).
 * @throws Error that says what is wrong.
 */
export function readScorer(text: string, readFile: (path: string) => string): ScorerBody {
  const given = new Map<Member, string>();
  const config: Record<string, unknown> = {};
  for (const [name, written] of readPairs(text)) {
    const value = valueOf(written, readFile);
    const member = name.replaceAll('-', '_');
    if (member.startsWith(CONFIG)) config[name.slice(CONFIG.length)] = jsonOrText(value);
    else if ((MEMBERS as readonly string[]).includes(member)) given.set(member as Member, value);
    else throw new Error(`"${name}" is not known; there are ${MEMBERS.join(', ')} and config.KEY`);
  }
  const scoring = given.get('scoring');
  if (scoring === undefined || scoring === '') throw new Error('scoring=NAME is missing');
  const scoringConfig = { ...configOf(given.get('config')), ...config };
  const judge = judgeOf(given);
  return {
    ...(given.has('name') && { name: given.get('name')! }),
    scoring,
    ...(Object.keys(scoringConfig).length > 0 && { scoring_config: scoringConfig }),
    ...(Object.keys(judge).length > 0 && { judge }),
    ...(given.has('weight') && { weight: numberOf('weight', given.get('weight')!) }),
    ...(given.has('pass_score') && { pass_score: numberOf('pass_score', given.get('pass_score')!) }),
  };
}

function valueOf(written: string, readFile: (path: string) => string): string {
  if (written.startsWith('@@')) return written.slice(1);
  return written.startsWith('@') ? readFile(written.slice(1)) : written;
}

function judgeOf(given: ReadonlyMap<Member, string>): NonNullable<ScorerBody['judge']> {
  const [connection, model, rubric] = [given.get('judge_connection'), given.get('judge_model'), given.get('rubric')];
  return {
    ...(connection !== undefined && { connection_id: connection }),
    ...(model !== undefined && { model }),
    ...(rubric !== undefined && { rubric }),
  };
}

function configOf(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  const parsed = jsonOrText(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new Error('config must be a JSON object, such as config=@config.json');
  }
  return parsed as Record<string, unknown>;
}

/** `true`, `3` and `["a"]` are what they are in JSON; what is no JSON is a text. */
function jsonOrText(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) throw new Error(`${name} must be a number, not "${text}"`);
  return number;
}
