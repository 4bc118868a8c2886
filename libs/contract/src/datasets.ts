import { z } from 'zod';
import { isObject, type JsonObject } from './conversation/lenient-values.js';
import type { DatapointKind } from './datapoint-kind.js';
import { JSON_DEPTH_MAX } from './values/exact-json.js';
import { hasAtMost } from './values/large-values.js';
import { listAnswer, PAGE_LIMIT_MAX, paging } from './lists.js';
import { countSchema, numberOf } from './values/numbers.js';
import { jsonMapSchema, jsonValueSchema, labelSchema, nameSchema } from './values/text.js';
import { storedTimes } from './values/timestamp.js';

/** `POST /api/datasets` (docs/spec/datasets.md#dataset-routes). */
export const createDatasetSchema = z
  .object({ name: labelSchema, description: nameSchema.nullish() })
  .meta({ id: 'CreateDataset' });
export type CreateDataset = z.output<typeof createDatasetSchema>;

/** `PUT /api/datasets/:id`: only members given change; a `null` description clears it. */
export const updateDatasetSchema = z
  .object({ name: labelSchema.optional(), description: nameSchema.nullish() })
  .meta({ id: 'UpdateDataset', description: 'Only members given change; `null` clears the description.' });
export type UpdateDataset = z.output<typeof updateDatasetSchema>;

/** Query of a list that gives its largest page unless asked for less (docs/spec/general.md#page-size). */
export const plainListSchema = z.object(paging(PAGE_LIMIT_MAX));
export type PlainList = z.output<typeof plainListSchema>;

export const datasetSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    datapoint_count: countSchema,
    version: countSchema.describe("Raised by every change to the datapoints; a run's results raise none."),
    ...storedTimes,
  })
  .meta({ id: 'Dataset' });
export type DatasetResource = z.output<typeof datasetSchema>;

/** Query of `GET /api/datasets/:id`. */
export const readDatasetSchema = z.object({
  include: z
    .enum(['without_expected_count'])
    .optional()
    .describe('What takes longer to find, and is left out otherwise.'),
});
export type ReadDataset = z.output<typeof readDatasetSchema>;

/** Answer of `GET /api/datasets/:id`. */
export const readDatasetAnswerSchema = datasetSchema
  .extend({
    without_expected_count: countSchema
      .exactOptional()
      .describe('Datapoints without an expected value, or with `null`; where it is asked for by `include`.'),
  })
  .meta({ id: 'DatasetRead' });

export const datasetListSchema = listAnswer('DatasetList', 'datasets', datasetSchema);

/** A message has a string `role`, and `content` as text, parts or nothing (a tool call has none). */
const isContent = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === 'string' || Array.isArray(value) || isObject(value);

const KIND_DEPTH_MAX = JSON_DEPTH_MAX - 1;

function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value) || hasAtMost(value, levels)) return false;
  return levels === 0 || Object.values(value).some((member) => nestsDeeper(member, levels - 1));
}

interface KindFault {
  path: PropertyKey[];
  message: string;
}

function kindFaults(value: unknown): KindFault[] {
  const message = 'must be an object with exactly one key, "Generic" or "LlmConversation"';
  if (!isObject(value)) return [{ path: [], message }];
  const [variant, ...others] = Object.keys(value);
  if (others.length > 0 || (variant !== 'Generic' && variant !== 'LlmConversation')) return [{ path: [], message }];
  const content = value[variant];
  if (!isObject(content)) return [{ path: [variant], message: 'must be an object' }];
  const faults = variant === 'Generic' ? genericFaults(content) : conversationFaults(content);
  const { metadata } = content;
  if (metadata !== undefined && metadata !== null && !isObject(metadata)) {
    faults.push({ path: ['metadata'], message: 'must be an object' });
  }
  return faults.map((fault) => ({ ...fault, path: [variant, ...fault.path] }));
}

export function isScore(value: unknown): boolean {
  const score = numberOf(value);
  return score !== undefined && score >= 0 && score <= 1;
}

function genericFaults(content: JsonObject): KindFault[] {
  const faults: KindFault[] = [];
  if (content['input'] === undefined) faults.push({ path: ['input'], message: 'is required' });
  const { score } = content;
  if (score !== undefined && score !== null && !isScore(score)) {
    faults.push({ path: ['score'], message: 'must be a number from 0 to 1' });
  }
  return faults;
}

/** Faults that are looked for; an answer lists a hundred. */
const FAULTS_MAX = 100;

function conversationFaults(content: JsonObject): KindFault[] {
  const faults: KindFault[] = [];
  const { messages, expected } = content;
  if (!Array.isArray(messages) || messages.length === 0) {
    faults.push({ path: ['messages'], message: 'must be a list of at least one {role, content}' });
  } else {
    for (const [index, message] of messages.entries()) {
      if (!isObject(message) || typeof message['role'] !== 'string' || !isContent(message['content'])) {
        faults.push({ path: ['messages', index], message: 'must be {role, content} with a string role' });
        if (faults.length > FAULTS_MAX) break;
      }
    }
  }
  if (expected !== undefined && expected !== null && typeof expected !== 'string') {
    faults.push({ path: ['expected'], message: 'must be a string' });
  }
  return faults;
}

const describedGeneric = z.looseObject({
  input: jsonValueSchema.describe('The input of the task; any JSON.'),
  expected_output: jsonValueSchema.optional().describe('Any JSON; an explicit `null` is no expected value.'),
  actual_output: jsonValueSchema.optional().describe('Any JSON; the newest output of an eval run.'),
  score: z.number().min(0).max(1).nullish(),
  metadata: jsonMapSchema.nullish(),
});

/** A message of a conversation, with whatever else its provider adds. */
export const chatMessageSchema = z.looseObject({
  role: z.string(),
  content: z
    .union([z.string(), z.array(z.unknown()), jsonMapSchema])
    .nullish()
    .describe('Text, parts, an object, or nothing.'),
});

const describedConversation = z.looseObject({
  messages: z.array(chatMessageSchema).min(1),
  expected: z.string().nullish(),
  metadata: jsonMapSchema.nullish(),
});

/** A datapoint's kind, kept whole and by reference. */
export const datapointKindSchema = z
  .custom<DatapointKind>()
  .superRefine((value: unknown, context) => {
    for (const { path, message } of kindFaults(value)) context.addIssue({ code: 'custom', path, message });
  })
  .meta({
    id: 'DatapointKind',
    description: 'Exactly one of the two variants. Answers have every member of the variant.',
    example: { Generic: { input: 'What is 2 + 2?', expected_output: '4' } },
    describedBy: z.union([
      z.strictObject({ Generic: describedGeneric }).meta({ title: 'Generic' }),
      z.strictObject({ LlmConversation: describedConversation }).meta({ title: 'LlmConversation' }),
    ]),
  });

/** A kind that was made of a row or a span, and must still fit into the body of a request, where no other comes from. */
export const madeDatapointKindSchema = datapointKindSchema.superRefine((kind, context) => {
  if (!nestsDeeper(kind, KIND_DEPTH_MAX)) return;
  const message = `must not nest deeper than ${KIND_DEPTH_MAX} levels`;
  context.addIssue({ code: 'custom', path: Object.keys(kind), message });
});

/** `POST /api/datasets/:id/datapoints`. */
export const createDatapointSchema = z.object({ kind: datapointKindSchema }).meta({ id: 'CreateDatapoint' });
export type CreateDatapoint = z.output<typeof createDatapointSchema>;

/** `PUT /api/datasets/:id/datapoints/:dp_id`; `kind` is replaced whole. */
export const updateDatapointSchema = z
  .object({ kind: datapointKindSchema.optional() })
  .meta({ id: 'UpdateDatapoint', description: '`kind` is replaced whole.' });
export type UpdateDatapoint = z.output<typeof updateDatapointSchema>;

/** `POST /api/datasets/:id/export-span`. */
export const exportSpanSchema = z
  .object({
    span_id: z.string(),
    expected: z
      .string()
      .nullish()
      .describe("What the datapoint expects in the place of the span's answer; `null`: nothing."),
  })
  .meta({ id: 'ExportSpan' });
export type ExportSpan = z.output<typeof exportSpanSchema>;

export const DATAPOINT_SOURCES = ['manual', 'span_export', 'file_upload'] as const;
export type DatapointSource = (typeof DATAPOINT_SOURCES)[number];

export const datapointSchema = z
  .object({
    id: z.string(),
    dataset_id: z.string(),
    kind: datapointKindSchema,
    source: z.enum(DATAPOINT_SOURCES),
    source_span_id: z.string().nullable(),
    ...storedTimes,
  })
  .meta({ id: 'Datapoint' });
export type DatapointResource = z.output<typeof datapointSchema>;

export const datapointListSchema = listAnswer('DatapointList', 'datapoints', datapointSchema);

/** Query of `GET /api/datasets/:id/export`. */
export const exportQuerySchema = z.object({ format: z.enum(['jsonl', 'json', 'csv']).default('jsonl') });
export type ExportQuery = z.output<typeof exportQuerySchema>;
