import { readReply, type ReplyFormat } from '@spandrel/plugin-api';

/** What a judge said of one output. */
export interface Verdict {
  score: number;
  reason?: string;
}

const NUMBER = /^\s*-?\d+(?:\.\d+)?(?:e[+-]?\d+)?\s*$/i;

/** A score from 0 to 1, a number or the text of one. */
export const SCORE_FORMAT: ReplyFormat<number> = {
  member: 'score',
  stated:
    /\bscore["']?\s*:\s*["']?(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|[+-]?(?:NaN|Infinity)|null|none|true|false)["']?\s*[,}\]]/i,
  read(value) {
    const score = typeof value === 'string' && NUMBER.test(value) ? Number(value) : value;
    return typeof score === 'number' && score >= 0 && score <= 1 ? score : undefined;
  },
  expected: 'a number from 0 to 1',
};

/** Reads a judge's reply. @throws UnusableReply for one without a usable score. */
export function readVerdict(reply: string): Verdict {
  const { said: score, ...reason } = readReply(reply, SCORE_FORMAT);
  return { score, ...reason };
}
