import type { QueueItemResource, TraceListItem } from '@spandrel/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, listPage } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import type { Message } from '../../features/messages/message.js';
import { openPayload } from '../../features/payload/payload-client.js';
import { spansOfTraces } from '../../features/spans-of-traces.js';
import { sessionAddress, traceAddress } from '../../features/addresses.js';
import { contentOf, type ItemContent } from './item-content.js';

/** What an item asks a person to judge: at once for a datapoint, else as soon as it is fetched. */
export function useItemContent(item: QueueItemResource) {
  const { original_data: data } = item;
  const {
    data: fetched,
    error,
    refetch,
  } = useQuery({
    queryKey: keys.reviewTarget(item.id),
    enabled: data === null,
    queryFn: ({ signal }) => fetchTarget(item, signal),
    staleTime: Infinity,
  });
  const content = useMemo(() => (data === null ? (fetched ?? null) : contentOf(data)), [data, fetched]);
  return { content, error, retry: () => void refetch() };
}

const NOTHING: ItemContent = { messages: [], texts: [], answer: '' };

/** A span; the one that stands for a trace; the last turns of a session. */
async function fetchTarget(item: QueueItemResource, signal: AbortSignal): Promise<ItemContent> {
  const { trace_id: traceId, span_id: spanId, session_id: sessionId } = item;
  if (sessionId) return fetchSession(sessionId, signal);
  const [id = null] = spanId ? [spanId] : await spansOfTraces([traceId ?? '']);
  if (id === null) return NOTHING;
  const answer = await api.raw('GET', `/api/spans/${encodeURIComponent(id)}`, { signal });
  const payload = await openPayload(await answer.text());
  try {
    const { kind, expected, texts } = await payload.ask('datapoint', {});
    if (kind === 'Conversation') return { messages: await payload.ask('messages', {}), texts: [], answer: expected };
    return { messages: [], texts: [...texts, { name: 'Output', text: expected }], answer: expected };
  } finally {
    payload.close();
  }
}

const TURNS = 50;
const PREVIEW = 2_000;

async function fetchSession(id: string, signal: AbortSignal): Promise<ItemContent> {
  const query = { preview: PREVIEW, sort_order: 'desc', limit: TURNS };
  const { rows } = await listPage<TraceListItem>('getSession', { path: { session_id: id }, query, signal });
  const messages = rows
    .toReversed()
    .flatMap(({ input_preview: asked, output_preview: answered }) => [
      ...said('user', asked),
      ...said('assistant', answered),
    ]);
  return { messages, texts: [], answer: rows[0]?.output_preview ?? '' };
}

function said(role: 'user' | 'assistant', text: string | null | undefined): Message[] {
  if (text === null || text === undefined) return [];
  const shown = [...text].length < PREVIEW ? text : `${text}…`;
  return [{ role, name: null, isAnswer: false, parts: [{ type: 'text', text: shown }] }];
}

/** The page of what an item is about, where it is no datapoint: `trace`, `span` or `session`, with its address. */
export function targetOf({ trace_id: trace, span_id: span, session_id: session }: QueueItemResource) {
  if (session) return { word: 'session', id: session, to: sessionAddress(session) };
  if (!trace) return null;
  if (!span) return { word: 'trace', id: trace, to: traceAddress(trace) };
  return { word: 'span', id: span, to: `${traceAddress(trace)}?span=${encodeURIComponent(span)}` };
}
