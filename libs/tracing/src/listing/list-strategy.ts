import type { Sql } from '@spandrel/storage';
import type { Candidates, ListRequest, Walk } from './list-request.sql.js';

/** How the spans of a list are found. */
export interface FoundList {
  candidates: Candidates;
  /** Present where one statement finds them: a text search then reads slices of it together with their payloads. */
  walk?: Walk;
  /** What takes the same spans in no order, where one condition says it: for counting them. */
  where?: Sql;
}

/** What finding a list by a strategy costs, and the way to do it. */
export interface ListEstimate {
  /** How many spans are looked at for a page, about; 0 says for sure that nothing matches. */
  spans: number;
  find(): FoundList;
}

/** One way of finding the spans of a list. */
export interface ListStrategy {
  /** The name that the ADR and the tests call it by. */
  readonly name: string;
  /** Whether it can find this list: its order, its filters. Asks the database nothing. */
  applies(list: ListRequest): boolean;
  /**
   * What it would cost. Counts at the database are bounded, so that choosing costs little.
   * @returns `undefined` when it would look at too many spans, so that another strategy is to be taken.
   */
  estimate(list: ListRequest): Promise<ListEstimate | undefined>;
}

/** The estimate of a strategy that finds a list by one statement. */
export const byWalk = (list: ListRequest, spans: number, walk: Walk): ListEstimate => ({
  spans,
  find: () => ({ walk, where: walk.where, candidates: list.walking(walk) }),
});
