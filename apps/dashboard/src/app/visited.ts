/** A page that was looked at in this tab. */
export interface Visit {
  address: string;
  title: string;
}

const VISITS_MAX = 8;

/** The visits with one more, newest first; a page that was looked at again moves up. */
export function withVisit(visits: readonly Visit[], visit: Visit): readonly Visit[] {
  return [visit, ...visits.filter(({ address }) => address !== visit.address)].slice(0, VISITS_MAX);
}
