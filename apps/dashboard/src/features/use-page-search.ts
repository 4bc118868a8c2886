import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';

/**
 * The search parameters that the page understands: the router keeps others, such as the marks of a campaign. Pages read
 * their own, so that the first of them fetches nothing of what the others know.
 * @param read leaves out what it does not know; stays the same function.
 */
export function usePageSearch<Known>(read: (search: Record<string, unknown>) => Known): Known {
  const search = useSearch({ strict: false });
  return useMemo(() => read({ ...search }), [search, read]);
}
