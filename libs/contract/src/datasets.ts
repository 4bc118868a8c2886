import { z } from 'zod';
import { JSON_DEPTH_MAX } from './exact-json.js';
import { cursorSchema, limitSchema, PAGE_LIMIT_MAX } from './lists.js';
import { numberOf } from './numbers.js';
import { jsonObjectSchema, labelSchema, nameSchema } from './text.js';

/** `POST /api/datasets` (service-spec "Datasets"). */
export const createDatasetSchema = z.object({ name: labelSchema, description: nameSchema.nullish() });
export type CreateDataset = z.output<typeof createDatasetSchema>;

/** `PUT /api/datasets/:id`: only members given change; a `null` description clears it. */
export const updateDatasetSchema = z.object({ name: labelSchema.optional(), description: nameSchema.nullish() });
export type UpdateDataset = z.output<typeof updateDatasetSchema>;

/** Query of the lists the spec shows without paging: they page all the same, with the largest page as the default. */
export const plainListSchema = z.object({ limit: limitSchema(PAGE_LIMIT_MAX), cursor: cursorSchema.optional() });
export type PlainList = z.output<typeof plainListSchema>;

export interface DatasetResource {
  id: string;
  name: string;
  description: string | null;
  datapoint_count: number;
  /** Raised by every change to the datapoints; a run's results raise none. */
  version: number;
  created_at: string;
  updated_at: string;
}

/** A message of a conversation datapoint; members beyond these are kept as sent. */
export interface DatapointMessage {
  role: string;
  content?: unknown;
  [member: string]: unknown;
}

export interface GenericDatapoint {
  input: unknown;
  expected_output?: unknown;
  actual_output?: unknown;
  /** 0 to 1. */
  score?: number | null;
  metadata?: Record<string, unknown> | null;
}

export interface ConversationDatapoint {
  messages: DatapointMessage[];
  expected?: string | null;
  metadata?: Record<string, unknown> | null;
}

/** What a datapoint holds: exactly one of the two variants (service-spec "Datapoint"). */
export type DatapointKind = { Generic: GenericDatapoint } | { LlmConversation: ConversationDatapoint };

const isObject = (value: unknown): value is Record<string, unknown> => jsonObjectSchema.safeParse(value).success;

/** A message has a string `role`, and `content` as text, parts or nothing (a tool call has none). */
const isContent = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === 'string' || Array.isArray(value) || isObject(value);

/** A kind from a file or a span must still fit into the body of a request. */
const KIND_DEPTH_MAX = JSON_DEPTH_MAX - 1;

function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return false;
  return levels === 0 || Object.values(value).some((member) => nestsDeeper(member, levels - 1));
}

/** One fault of a datapoint's kind: where, from the kind's root, and what. */
interface KindFault {
  path: PropertyKey[];
  message: string;
}

/** Everything that is wrong with a datapoint's kind; none: it is one. */
function kindFaults(value: unknown): KindFault[] {
  const message = 'must be an object with exactly one key, "Generic" or "LlmConversation"';
  if (!isObject(value)) return [{ path: [], message }];
  const [variant, ...others] = Object.keys(value);
  if (others.length > 0 || (variant !== 'Generic' && variant !== 'LlmConversation')) return [{ path: [], message }];
  const content = value[variant];
  if (!isObject(content)) return [{ path: [variant], message: 'must be an object' }];
  if (nestsDeeper(value, KIND_DEPTH_MAX)) {
    return [{ path: [variant], message: `must not nest deeper than ${KIND_DEPTH_MAX} levels` }];
  }
  const faults = variant === 'Generic' ? genericFaults(content) : conversationFaults(content);
  const { metadata } = content;
  if (metadata !== undefined && metadata !== null && !isObject(metadata)) {
    faults.push({ path: ['metadata'], message: 'must be an object' });
  }
  return faults.map((fault) => ({ ...fault, path: [variant, ...fault.path] }));
}

/** Whether a value is a number from 0 to 1. */
export function isScore(value: unknown): boolean {
  const score = numberOf(value);
  return score !== undefined && score >= 0 && score <= 1;
}

function genericFaults(content: Record<string, unknown>): KindFault[] {
  const faults: KindFault[] = [];
  if (content['input'] === undefined) faults.push({ path: ['input'], message: 'is required' });
  const { score } = content;
  if (score !== undefined && score !== null && !isScore(score)) {
    faults.push({ path: ['score'], message: 'must be a number from 0 to 1' });
  }
  return faults;
}

function conversationFaults(content: Record<string, unknown>): KindFault[] {
  const faults: KindFault[] = [];
  const { messages, expected } = content;
  if (!Array.isArray(messages) || messages.length === 0) {
    faults.push({ path: ['messages'], message: 'must be a list of at least one {role, content}' });
  } else {
    for (const [index, message] of messages.entries()) {
      if (!isObject(message) || typeof message['role'] !== 'string' || !isContent(message['content'])) {
        faults.push({ path: ['messages', index], message: 'must be {role, content} with a string role' });
      }
    }
  }
  if (expected !== undefined && expected !== null && typeof expected !== 'string') {
    faults.push({ path: ['expected'], message: 'must be a string' });
  }
  return faults;
}

/** A datapoint's kind, kept whole and by reference. */
export const datapointKindSchema = z.custom<DatapointKind>().superRefine((value: unknown, context) => {
  for (const { path, message } of kindFaults(value)) context.addIssue({ code: 'custom', path, message });
});

/** `POST /api/datasets/:id/datapoints`. */
export const createDatapointSchema = z.object({ kind: datapointKindSchema });
export type CreateDatapoint = z.output<typeof createDatapointSchema>;

/** `PUT /api/datasets/:id/datapoints/:dp_id`; `kind` is replaced whole. */
export const updateDatapointSchema = z.object({ kind: datapointKindSchema.optional() });
export type UpdateDatapoint = z.output<typeof updateDatapointSchema>;

/** `POST /api/datasets/:id/export-span`. */
export const exportSpanSchema = z.object({ span_id: z.string() });
export type ExportSpan = z.output<typeof exportSpanSchema>;

export const DATAPOINT_SOURCES = ['manual', 'span_export', 'file_upload'] as const;
export type DatapointSource = (typeof DATAPOINT_SOURCES)[number];

export interface DatapointResource {
  id: string;
  dataset_id: string;
  /** With every member of its variant; those without a value are `null`. */
  kind: DatapointKind;
  source: DatapointSource;
  source_span_id: string | null;
  created_at: string;
  updated_at: string;
}

/** Query of `POST /api/datasets/:id/import`. */
export const importQuerySchema = z.object({
  on_error: z.enum(['reject', 'skip']).default('reject'),
  /** Names the file of a raw body. */
  filename: nameSchema.optional(),
});
export type ImportQuery = z.output<typeof importQuerySchema>;

/** Answer of an import; `skipped` comes with `on_error=skip`. */
export interface ImportResult {
  imported: number;
  dataset_id: string;
  /** The first of the rows left out, by their line in the file. */
  skipped?: { line: number; message: string }[];
  /** All of them. */
  skipped_count?: number;
}

/** Query of `GET /api/datasets/:id/export`. */
export const exportQuerySchema = z.object({ format: z.enum(['jsonl', 'json', 'csv']).default('jsonl') });
export type ExportQuery = z.output<typeof exportQuerySchema>;
