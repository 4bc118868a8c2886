import type { DaySize, Part, Position } from '@spandrel/storage';
import type { ListRequest } from '../list-request.sql.js';
import type { FoundList } from '../list-strategy.js';

/** Candidates that a search looks at in list order before anything else is worth it: few, since most searches find soon. */
export const FIRST_SLICE = 1_000;

/** Some candidates whose payload may contain what is searched, in list order. */
export interface Slice {
  maybes: string[];
  /** Position of the last one; `undefined` at the end of the list. */
  end: Position | undefined;
}

/** A list that is searched for text. */
export interface TextSearch {
  list: ListRequest;
  found: FoundList;
  /** The days that have partitions, with their sizes, oldest first; none on SQLite. */
  daySizes: () => Promise<readonly DaySize[]>;
}

/**
 * One way of looking for text in the payloads of a list. Most searches find a page among the first candidates in list
 * order; those with hardly a hit are quicker when payloads are read as they lie.
 */
export interface TextStrategy {
  readonly name: string;
  /** Whether it can search this list. Asks the database nothing. */
  applies(search: TextSearch): boolean;
  /** How many candidates are looked at in list order before this one is worth it. */
  worthBehind(search: TextSearch): number;
  /**
   * The next candidates behind a position.
   * @param turn how often this strategy has been asked in this search.
   * @returns `undefined` when there are so many that looking in list order finds a page sooner.
   */
  next(search: TextSearch, part: Part, from: Position | undefined, turn: number): Promise<Slice | undefined>;
}
