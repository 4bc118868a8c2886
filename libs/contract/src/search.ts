import { z } from 'zod';
import { listAnswer } from './lists.js';
import { includeScores, listedScores } from './scores.js';
import { previewCountSchema, spanOutlineSchema, viewSchema } from './outlines.js';
import { boundedMembers, OWN_MEMBERS_MAX } from './values/bounded.js';
import { keySchema } from './values/text.js';
import { spanSchema } from './spans.js';
import { timestampSchema } from './values/timestamp.js';

export const SEARCH_MODES = ['text', 'vector', 'hybrid'] as const;
export type SearchMode = (typeof SEARCH_MODES)[number];

/** Hits of one search at most, and when no `limit` is given. */
export const SEARCH_LIMIT_MAX = 200;
export const SEARCH_LIMIT_DEFAULT = 20;

/** `POST /api/search`. Filters are exact and all must match. */
export const searchSchema = z
  .object({
    query: z.string().min(1).max(8_000),
    mode: z.enum(SEARCH_MODES).default('text'),
    filters: boundedMembers(
      z.strictObject({
        trace_id: z.string().optional(),
        session_id: z.string().optional(),
        kind: keySchema.optional(),
        model: keySchema.optional(),
        provider: keySchema.optional(),
        status: z.enum(['running', 'completed', 'failed']).optional(),
        tag: keySchema.optional(),
        since: timestampSchema.optional(),
        until: timestampSchema.optional(),
      }),
      OWN_MEMBERS_MAX,
    ).default({}),
    limit: z.number().int().min(1).max(SEARCH_LIMIT_MAX).default(SEARCH_LIMIT_DEFAULT),
    view: viewSchema,
    preview: previewCountSchema,
    include: includeScores,
  })
  .meta({ id: 'Search' });
export type Search = z.output<typeof searchSchema>;

const score = z.number().describe('Higher is better; comparable within one answer only.');

export const foundSpanSchema = z.object({ ...spanSchema.shape, score, scores: listedScores }).meta({ id: 'FoundSpan' });
export type FoundSpan = z.output<typeof foundSpanSchema>;

const foundSpanOutlineSchema = z.object({ ...spanOutlineSchema.shape, score }).meta({ id: 'FoundSpanOutline' });
export type FoundSpanOutline = z.output<typeof foundSpanOutlineSchema>;

const searchAnswerSchema = listAnswer('SearchAnswer', 'spans', foundSpanSchema);
export type SearchAnswer = z.output<typeof searchAnswerSchema>;

const searchOutlineAnswerSchema = listAnswer('SearchOutlineAnswer', 'spans', foundSpanOutlineSchema);

/** Answer of `POST /api/search` in either view. */
export const searchInViewSchema = z.union([searchAnswerSchema, searchOutlineAnswerSchema]);
