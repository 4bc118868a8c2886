import {
  listScoresSchema,
  listSessionsSchema,
  listSpansSchema,
  listTracesSchema,
  searchSchema,
  type CapabilitiesResource,
} from '@spandrel/contract';
import { z } from 'zod';
import { PREVIEW_CHARS } from '../answers/cut-text.js';
import { fitList } from '../answers/fit.js';
import { previewOf, spanItem } from '../answers/slim.js';
import { apiArguments } from '../arguments/api-arguments.js';
import { defineListTool, hintOf, limitArgument, limitOf } from './list-tool.js';
import { defineTool, TEXTS_ARE_DATA } from './tool.js';

export const listTraces = defineListTool({
  name: 'list_traces',
  title: 'List traces',
  description:
    'Lists traces (one trace is one run of an application, made of spans), newest first, with status, duration, tokens, cost and the last prompt and answer. since and until are ISO 8601 times. Look into one with get_trace.',
  operations: ['listTraces'],
  query: listTracesSchema,
  from: 'traces',
  fixed: { preview: PREVIEW_CHARS, include: 'scores' },
  item: ({ metadata, input_preview, output_preview, ended_at: _ended, ...trace }) => ({
    ...trace,
    metadata_preview: isEmpty(metadata) ? undefined : previewOf(metadata),
    input_preview,
    output_preview,
  }),
});

const isEmpty = (metadata: unknown): boolean => Object.keys((metadata ?? {}) as object).length === 0;

export const listSpans = defineListTool({
  name: 'list_spans',
  title: 'List spans',
  description:
    'Lists spans (one span is one step of a trace: a call of a model, a tool, a retrieval), newest first. Filters combine; status: failed finds errors, sort_by: duration the slowest. since and until are ISO 8601 times. Read one whole with get_span.',
  operations: ['listSpans'],
  query: listSpansSchema,
  from: 'spans',
  fixed: { view: 'outline', preview: PREVIEW_CHARS, include: 'scores' },
  item: spanItem,
});

export const listSessions = defineListTool({
  name: 'list_sessions',
  title: 'List sessions',
  description:
    'Lists sessions (traces that belong together, such as a conversation), newest first, with their numbers of traces and errors, tokens and cost. list_traces with session_id lists the traces of one.',
  operations: ['listSessions'],
  query: listSessionsSchema,
  omit: ['include'],
  from: 'sessions',
  fixed: { include: 'scores' },
});

export const listScores = defineListTool({
  name: 'list_scores',
  title: 'List scores',
  description:
    'Lists scores (what people, programs and judges said of traces, spans and sessions: a value, a label or a comment), newest first. list_traces and list_spans with score find what was scored so.',
  operations: ['listScores'],
  query: listScoresSchema,
  from: 'scores',
  item: ({ revisions: _earlier, ...score }) => score,
});

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
    const read = async (count: number) => {
      const leftOut = spans.length - count;
      const others = { ...(leftOut > 0 && { left_out: leftOut }), ...(hint !== undefined && { hint }) };
      return { items: spans.slice(0, count).map(spanItem), nextCursor: null, others };
    };
    return fitList({ name: 'spans', limit: most, maxChars, read });
  },
});
