import { z } from 'zod';
import { listAnswer, paging } from './lists.js';
import { countSchema } from './values/numbers.js';
import { timestampSchema } from './values/timestamp.js';

/** What values are suggested of (docs/spec/facets.md#values). */
export const FACETS = ['model', 'provider', 'kind', 'tag', 'span_name', 'trace_name', 'user', 'session'] as const;
export type FacetName = (typeof FACETS)[number];

/** Values of a page unless asked for otherwise: what a menu shows. */
const FACETS_DEFAULT = 20;

/** Query of `GET /api/facets`. */
export const listFacetsSchema = z.object({
  of: z
    .union([z.enum(FACETS), z.templateLiteral(['metadata.', z.string().min(1)])])
    .describe('`metadata.KEY`: values of an indexed key of the metadata of traces and spans.'),
  prefix: z.string().optional().describe('Values that begin with these very letters.'),
  since: timestampSchema.optional().describe('Values of traces or spans that started then or later.'),
  until: timestampSchema.optional().describe('Values of traces or spans that started before.'),
  ...paging(FACETS_DEFAULT),
});
export type ListFacets = z.output<typeof listFacetsSchema>;

export const facetSchema = z
  .object({
    value: z.string(),
    count: countSchema.nullable().describe('How many have the value; `null` where that is not known without counting.'),
  })
  .meta({ id: 'Facet' });
export type Facet = z.output<typeof facetSchema>;

export const facetListSchema = listAnswer('FacetList', 'facets', facetSchema);
