import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';

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

let visits: readonly Visit[] = [];

/** The pages that were looked at last, newest first. */
export function lastVisits(): readonly Visit[] {
  return visits;
}

/** Notes every page when it is left, by the title that it has then. */
export function useNotedVisits(): void {
  const { href } = useLocation();
  useEffect(
    () => () => {
      visits = withVisit(visits, { address: href, title: document.title.replace(/ · Spandrel$/, '') });
    },
    [href],
  );
}
