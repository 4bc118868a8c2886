import { filledTextOf, objectOf, readJson } from '@spandrel/plugin-api';
import { findObjects, isJson } from './find-objects.js';

/** What a judge said of one output. */
export interface Verdict {
  score: number;
  reason?: string;
}

/** A judge's reply that has no usable score. */
export class UnusableReply extends Error {
  override readonly name = 'UnusableReply';

  /** @param fault what it has. */
  constructor(
    readonly fault: string,
    reply: string,
  ) {
    super(`the judge gave ${fault}: ${quote(reply)}`);
  }
}

/**
 * Reads a judge's reply: one JSON object with a score, bare or with thoughts and text around it. Never guesses
 * (docs/spec/evaluations.md#replies-of-a-judge).
 * @throws UnusableReply when there is no such object or a faulty one, its score is no number from 0 to 1, or there are several
 *   that differ.
 */
export function readVerdict(reply: string): Verdict {
  const { objects, faulty, isBroken } = findObjects(cutThoughts(reply));
  const verdicts = objects.map((json) => objectOf(readJson(json))).filter((object) => Object.hasOwn(object, 'score'));
  const [first, ...others] = verdicts;
  if (isBroken || faulty.some(statesScore) || (!first && faulty.length > 0)) {
    throw new UnusableReply('a JSON object that is cut off or faulty', reply);
  }
  if (!first) throw new UnusableReply('no JSON object with a score', reply);
  const score = scoreOf(first);
  if (others.some((other) => scoreOf(other) !== score)) {
    throw new UnusableReply('several scores', reply);
  }
  if (typeof score !== 'number' || !(score >= 0 && score <= 1)) {
    throw new UnusableReply('a score that is not a number from 0 to 1', reply);
  }
  const reason = filledTextOf(first['reason']);
  return { score, ...(reason !== null && { reason }) };
}

/** A reply without what a reasoning model thought before it; empty when the thoughts are cut off. */
function cutThoughts(reply: string): string {
  // A mark inside a verdict is what its reason speaks of.
  if (isJson(reply)) return reply;
  let end = 0;
  for (const mark of reply.matchAll(THOUGHTS_END)) end = mark.index + mark[0].length;
  const said = reply.slice(end);
  return THOUGHTS_START.test(said) ? '' : said;
}

/** How models mark thoughts: `<think>`, `<thinking>`, and Mistral's `[THINK]`. */
const THOUGHTS_END = /<\/think(?:ing)?>|\[\/THINK\]/gi;
const THOUGHTS_START = /^\s*(?:<think(?:ing)?>|\[THINK\])/i;

/** The member `score`, a number also where it is the text of one. */
function scoreOf({ score }: Record<string, unknown>): unknown {
  return typeof score === 'string' && NUMBER.test(score) ? Number(score) : score;
}

const NUMBER = /^\s*-?\d+(?:\.\d+)?(?:e[+-]?\d+)?\s*$/i;

/** Whether an object that is no JSON has a score with a value: a verdict that cannot be read, no sample of the format. */
const statesScore = (source: string): boolean => STATED_SCORE.test(source);

const STATED_SCORE =
  /\bscore["']?\s*:\s*["']?(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|[+-]?(?:NaN|Infinity)|null|none|true|false)["']?\s*[,}\]]/i;

const QUOTE_LENGTH_MAX = 200;

/** The beginning of a reply, fit for an error message: on one line, without characters a column cannot hold. */
function quote(reply: string): string {
  const start = JSON.stringify(reply.slice(0, QUOTE_LENGTH_MAX));
  return reply.length > QUOTE_LENGTH_MAX ? `${start} …` : start;
}
