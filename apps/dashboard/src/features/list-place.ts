import { useRouterState } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { GridPlace } from '../components/grid/grid-props.js';

/** Entries of the history whose places are remembered; the oldest are forgotten. */
const PLACES_MAX = 50;
const places = new Map<string, GridPlace>();

/**
 * Where the reader was in the list of this entry of the history, so that Back leads there again.
 * @returns the place to begin at, and what notes the place of now.
 */
export function useListPlace(): { place: GridPlace | undefined; onPlace(place: GridPlace): void } {
  const entry = useRouterState({ select: ({ location }) => location.state.__TSR_key ?? '' });
  const place = useMemo(() => places.get(entry), [entry]);
  const onPlace = useCallback(
    (now: GridPlace) => {
      places.delete(entry);
      places.set(entry, now);
      if (places.size > PLACES_MAX) places.delete(places.keys().next().value!);
    },
    [entry],
  );
  return { place, onPlace };
}
