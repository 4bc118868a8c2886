import { capitalized } from '../components/format.js';
/** Words of names that are written otherwise. */
const WORDS: Readonly<Record<string, string>> = { llm: 'LLM', json: 'JSON' };

/** The name of a scoring as people read it: `Exact match`, `LLM judge`; one of a plugin that has blanks or dots stays. */
export function wordsOfScoring(name: string): string {
  if (!/^[A-Za-z0-9]+$/.test(name)) return name;
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+/g) ?? [name];
  const written = words.map((word) => WORDS[word.toLowerCase()] ?? word.toLowerCase()).join(' ');
  return capitalized(written);
}

/** Scorers that are built in: those of a run have these names unless somebody chose others. */
const BUILT_IN: ReadonlySet<string> = new Set([
  ...['Contains', 'Cost', 'EmbeddingSimilarity', 'ExactMatch', 'JsonEqual', 'JsonSchema'],
  ...['Latency', 'Levenshtein', 'LlmJudge', 'None', 'Preference', 'Regex'],
]);

/** The name of a scorer of a run as people read it: one that somebody chose stays. */
export const wordsOfScorer = (name: string): string => (BUILT_IN.has(name) ? wordsOfScoring(name) : name);

/** Scores by a rubric, which only the judge has. */
export const JUDGE = 'LlmJudge';

/** Scorers with nothing to set but a rubric. */
export const JUDGES: readonly string[] = [JUDGE, 'Preference'];

/** What can be set of a scoring, in words: `pattern (Needed: a regular expression), ignore_case`. */
export function describeSettings(schema: Readonly<Record<string, unknown>>): string {
  const { properties = {} } = schema as { properties?: Record<string, { description?: string }> };
  return Object.entries(properties)
    .map(([name, { description }]) => (description ? `${name} (${description.replace(/\.$/, '')})` : name))
    .join(', ');
}
