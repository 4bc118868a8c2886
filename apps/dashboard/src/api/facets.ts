import type { Facet, FacetName } from '@spandrel/contract';
import { call } from './call.js';

/** `GET /api/facets`: the first values of something that begin with a prefix, in their order. */
export async function listFacets(of: FacetName, prefix: string, signal?: AbortSignal): Promise<readonly Facet[]> {
  const query = { of, prefix: prefix === '' ? undefined : prefix };
  const { facets } = await call<{ facets: Facet[] }>('/api/facets', { query, ...(signal && { signal }) });
  return facets;
}
