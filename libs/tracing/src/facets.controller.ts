import { Controller, Get, Query } from '@nestjs/common';
import { facetListSchema, listFacetsSchema, type Facet, type ListFacets } from '@spandrel/contract';
import { CurrentReader, CurrentScope, Operation, type Reader } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { FacetListStore } from './listing/facet-list.store.js';

/** `/api/facets` (docs/spec/facets.md). */
@Controller('api/facets')
export class FacetsController {
  constructor(private readonly lists: FacetListStore) {}

  @Get()
  @Operation({
    id: 'listFacets',
    access: 'read',
    summary: 'Values that filters can take, in order',
    answer: facetListSchema,
  })
  async list(
    @CurrentScope() scope: Scope,
    @Query({ schema: listFacetsSchema }) query: ListFacets,
    @CurrentReader() reader: Reader,
  ): Promise<{ facets: Facet[]; count: number; next_cursor: string | null }> {
    const { items, nextCursor } = await this.lists.list(scope, query, reader);
    const facets = items.map((value) => ({ value, count: null }));
    return { facets, count: facets.length, next_cursor: nextCursor };
  }
}
