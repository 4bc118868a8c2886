import { z } from 'zod';
import { cursorSchema, limitSchema, repeatable } from './lists.js';
import { clientIdSchema, jsonObjectSchema, keySchema, nameSchema } from './text.js';
import { timestampSchema } from './timestamp.js';

/** Tags one trace may carry. */
export const TAGS_MAX = 1_000;

export const tagsSchema = z.array(keySchema).max(TAGS_MAX);

/** `POST /api/traces` (service-spec "Traces", contract.md "Traces"). */
export const createTraceSchema = z.object({
  id: clientIdSchema.nullish(),
  name: nameSchema.nullish(),
  tags: tagsSchema.nullish(),
  session_id: keySchema.nullish(),
  user_id: keySchema.nullish(),
  metadata: jsonObjectSchema.nullish(),
  started_at: timestampSchema.nullish(),
});
export type CreateTrace = z.output<typeof createTraceSchema>;

/** `PATCH /api/traces/:id`: only members given change; `null` clears. */
export const patchTraceSchema = z.object({
  name: nameSchema.nullish(),
  tags: tagsSchema.nullish(),
  session_id: keySchema.nullish(),
  user_id: keySchema.nullish(),
  metadata: jsonObjectSchema.nullish(),
});
export type PatchTrace = z.output<typeof patchTraceSchema>;

export const STATUS_NAMES = ['running', 'completed', 'failed'] as const;
export const statusNameSchema = z.enum(STATUS_NAMES);
export type StatusName = z.output<typeof statusNameSchema>;

/** Query of `GET /api/traces`. */
export const listTracesSchema = z.object({
  session_id: z.string().optional(),
  user_id: z.string().optional(),
  tag: repeatable(z.string()).optional(),
  name_contains: z.string().optional(),
  since: timestampSchema.optional(),
  until: timestampSchema.optional(),
  status: statusNameSchema.optional(),
  limit: limitSchema(),
  cursor: cursorSchema.optional(),
});
export type ListTraces = z.output<typeof listTracesSchema>;

export interface TraceResource {
  id: string;
  name: string | null;
  tags: string[];
  session_id: string | null;
  user_id: string | null;
  metadata: Record<string, unknown>;
  started_at: string;
  ended_at: string | null;
}

/** An item of the trace list: the trace with the roll-up of its spans. */
export interface TraceListItem extends TraceResource {
  status: StatusName;
  span_count: number;
  error_count: number;
  total_tokens: number;
  /** Dollars; `null` when no span has a cost. */
  total_cost: number | null;
  duration_ms: number | null;
  models: string[];
}

/** Query of `GET /api/sessions`. */
export const listSessionsSchema = z.object({ limit: limitSchema(), cursor: cursorSchema.optional() });
export type ListSessions = z.output<typeof listSessionsSchema>;

export interface SessionResource {
  session_id: string;
  trace_count: number;
  span_count: number;
  total_tokens: number;
  total_cost: number | null;
  started_at: string;
  ended_at: string | null;
}
