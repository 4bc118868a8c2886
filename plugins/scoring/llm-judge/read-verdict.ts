import { filledTextOf, objectOf, readJson } from '@spandrel/plugin-api';
import { findObjects } from './find-objects.js';

/** What a judge said of one output. */
export interface Verdict {
  score: number;
  reason?: string;
}

/**
 * Reads a judge's reply: one JSON object with a score, bare or with text around it. Never guesses
 * (docs/spec/evaluations.md#llmjudge).
 * @throws Error when there is no such object or a faulty one, its score is no number from 0 to 1, or there are several
 *   that differ.
 */
export function readVerdict(reply: string): Verdict {
  const sources = findObjects(reply);
  if (!sources) throw new Error(`the judge gave a JSON object that is cut off or faulty: ${quote(reply)}`);
  const objects = sources.map((source) => objectOf(readJson(source)));
  const [first, ...others] = objects.filter((object) => Object.hasOwn(object, 'score'));
  if (!first) throw new Error(`the judge gave no JSON object with a score: ${quote(reply)}`);
  const { score } = first;
  if (others.some((other) => other['score'] !== score)) {
    throw new Error(`the judge gave several scores: ${quote(reply)}`);
  }
  if (typeof score !== 'number' || !(score >= 0 && score <= 1)) {
    throw new Error(`the judge gave a score that is not a number from 0 to 1: ${quote(reply)}`);
  }
  const reason = filledTextOf(first['reason']);
  return { score, ...(reason !== null && { reason }) };
}

const QUOTE_LENGTH_MAX = 200;

/** The beginning of a reply, fit for an error message: on one line, without characters a column cannot hold. */
function quote(reply: string): string {
  const start = JSON.stringify(reply.slice(0, QUOTE_LENGTH_MAX));
  return reply.length > QUOTE_LENGTH_MAX ? `${start} …` : start;
}
