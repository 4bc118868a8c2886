import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { withVisit, type Visit } from './visited.js';

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
