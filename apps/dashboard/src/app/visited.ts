/** A page that was looked at in this tab. */
export interface Visit {
  /** Path and search parameters. */
  address: string;
  title: string;
}

const VISITS_MAX = 8;

/** The visits with one more, newest first. A page that was looked at again moves up, as it was looked at last. */
export function withVisit(visits: readonly Visit[], visit: Visit): readonly Visit[] {
  return [visit, ...visits.filter(({ address }) => pathOf(address) !== pathOf(visit.address))].slice(0, VISITS_MAX);
}

const pathOf = (address: string): string => address.split('?', 1)[0]!;
