import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** A row of the tables in docs/first-hour.md. */
export interface Mistake {
  /** The shell command as it stands there. */
  typed: string;
  /** A status of HTTP; `exit <code>` of a command that ends; `starts` of one that goes on. */
  outcome: string;
  /** What the answer says, each in a code span of its own. */
  words: string[];
}

const PAGE = 'docs/first-hour.md';

/** A cell ends at a bar that nothing escapes. */
const CELL_END = /(?<!\\)\|/;

/** The text between backticks, one or two of them; blanks beside two are not part of it. */
const CODE_SPAN = /``\s?(.+?)\s?``|`([^`]+)`/g;

/** Every row of the page that has a command, in its order. @throws when a row cannot be read. */
export function readMistakes(): Mistake[] {
  return readFileSync(resolve(PAGE), 'utf8')
    .split('\n')
    .filter((line) => /^\| +`/.test(line))
    .map(readRow);
}

function readRow(line: string): Mistake {
  const [, typedCell = '', answerCell = ''] = line.split(CELL_END);
  const [typed, ...more] = codeSpans(typedCell);
  const outcome = /^\s*(\d{3}|exit \d|starts)\b/.exec(answerCell)?.[1];
  const words = codeSpans(answerCell);
  if (typed === undefined || more.length > 0 || outcome === undefined || words.length === 0) {
    throw new Error(`${PAGE}: a row needs one command, an outcome and the answer's words: ${line}`);
  }
  return { typed, outcome, words };
}

const codeSpans = (cell: string): string[] =>
  [...cell.matchAll(CODE_SPAN)].map(([, two, one]) => (two ?? one)!.replaceAll('\\|', '|'));
