import { searchSchema, type CapabilitiesResource } from '@spandrel/contract';
import { z } from 'zod';
import { fitList } from '../answers/fit-list.js';
import { PREVIEW_CHARS } from '../answers/cut-text.js';
import { apiArguments } from '../arguments/api-arguments.js';
import { hintOf, limitArgument, limitOf } from './list-tool.js';
import { spanItem } from '../answers/slim.js';
import { defineTool, TEXTS_ARE_DATA } from './tool.js';

export const searchSpans = defineTool({
  name: 'search_spans',
  title: 'Search spans',
  description: `Searches finished spans by words (mode: text), by meaning (vector) or both (hybrid), best first; a span must have all words of a text query. There is one page. Texts are cut to ${PREVIEW_CHARS} characters. ${TEXTS_ARE_DATA}`,
  operations: ['searchSpans'],
  arguments: () => ({
    ...apiArguments(searchSchema, ['limit', 'view', 'preview', 'include', 'filters']),
    ...apiArguments(searchSchema.shape.filters.def.innerType as z.ZodType),
    limit: limitArgument,
  }),
  isAvailable: async (api) => {
    if (!api.may('getCapabilities')) return false;
    const { search_modes: modes } = (await api.call({
      operation: 'getCapabilities',
    })) as unknown as CapabilitiesResource;
    return modes.length > 0;
  },
  answer: async ({ limit, ...args }, { api, maxChars, empty }) => {
    const most = limitOf(limit);
    const { query, mode, ...filters } = args as Readonly<Record<string, unknown>>;
    const { spans } = (await api.call({
      operation: 'searchSpans',
      body: { query, mode, filters, limit: most, view: 'outline', preview: PREVIEW_CHARS, include: 'scores' },
    })) as unknown as { spans: Readonly<Record<string, unknown>>[] };
    const hint = spans.length === 0 ? hintOf(args, empty) : undefined;
    // There is no cursor to go on with: what does not fit is said.
    const read = (count: number) => {
      const leftOut = spans.length - count;
      const items = spans.slice(0, count).map(spanItem);
      return Promise.resolve({ items, nextCursor: null, ...othersOf(leftOut, hint) });
    };
    return fitList({ name: 'spans', limit: most, maxChars, read });
  },
});

function othersOf(leftOut: number, hint: string | undefined): object {
  if (leftOut > 0) return { others: { left_out: leftOut } };
  return hint === undefined ? {} : { others: { hint } };
}
