import {
  exactJsonInPieces,
  EXPORT_VERSION,
  fieldErrors,
  JsonSyntaxError,
  parseWithSources,
  TooManyValues,
  restoredBoardSchema,
  restoredAlertChannelSchema,
  restoredAlertSchema,
  restoredCaptureRuleSchema,
  restoredCommentSchema,
  restoredConnectionSchema,
  restoredDatapointSchema,
  restoredDatapointVersionSchema,
  restoredDatasetSchema,
  restoredQueueItemSchema,
  restoredScoreDefinitionSchema,
  restoredScoreSchema,
  restoredScoringRuleSchema,
  restoredResultSchema,
  restoredRunSchema,
  restoredSampleSchema,
  restoredAttemptSchema,
  restoredTraceSchema,
  restoredViewSchema,
  type ExportCollection,
} from '@spandrel/contract';
import { inTurns, Invalid } from '@spandrel/kernel';
import { restoredSpanSchema } from '@spandrel/tracing';
import type { z } from 'zod';
import type { FilePart } from './collection-scanner.js';

const SCHEMAS = {
  traces: restoredTraceSchema,
  spans: restoredSpanSchema,
  datasets: restoredDatasetSchema,
  datapoints: restoredDatapointSchema,
  datapoint_versions: restoredDatapointVersionSchema,
  capture_rules: restoredCaptureRuleSchema,
  connections: restoredConnectionSchema,
  eval_runs: restoredRunSchema,
  eval_results: restoredResultSchema,
  eval_samples: restoredSampleSchema,
  eval_attempts: restoredAttemptSchema,
  queue_items: restoredQueueItemSchema,
  score_definitions: restoredScoreDefinitionSchema,
  scores: restoredScoreSchema,
  views: restoredViewSchema,
  boards: restoredBoardSchema,
  scoring_rules: restoredScoringRuleSchema,
  alert_channels: restoredAlertChannelSchema,
  alerts: restoredAlertSchema,
  comments: restoredCommentSchema,
} satisfies Record<ExportCollection, z.ZodType>;

export type ImportItems = { [Collection in ExportCollection]: z.output<(typeof SCHEMAS)[Collection]> };
const SCHEMA_OF: { [Collection in ExportCollection]: z.ZodType<ImportItems[Collection]> } = SCHEMAS;

/** Collections with datapoints, whose numbers stay as they are written (docs/spec/general.md#numbers). */
const KEEPS_SOURCES: ReadonlySet<ExportCollection> = new Set(['datapoints', 'datapoint_versions', 'queue_items']);

const FAULTS_MAX = 100;

/**
 * Reads an item of a file.
 * @param valuesMax values that an item may have.
 * @throws Invalid `malformed_json` or `validation_failed`, naming the item and the member: `spans[12].kind.model`.
 */
export async function readItem<Collection extends ExportCollection>(
  collection: Collection,
  part: FilePart & { index: number },
  valuesMax: number,
): Promise<ImportItems[Collection]> {
  const place = `${collection}[${part.index}]`;
  const parse = KEEPS_SOURCES.has(collection) ? parseWithSources : undefined;
  const parsed = SCHEMA_OF[collection].safeParse(await valueOf(part, place, valuesMax, parse));
  if (parsed.success) return parsed.data;
  const faults = fieldErrors(parsed.error).slice(0, FAULTS_MAX);
  const errors = faults.map(({ path, message }) => ({ path: path === '' ? place : `${place}.${path}`, message }));
  const [{ path, message }] = errors as [(typeof errors)[number]];
  throw new Invalid('validation_failed', `${path}: ${message}`, errors);
}

/**
 * Checks a member beside the collections: the version is one that can be read, a collection is a list or left out; others
 * are ignored, as long as they are JSON.
 * @returns its value.
 * @throws Invalid `malformed_json` or `validation_failed`.
 */
export async function readMember(
  part: FilePart & { member: string },
  collections: readonly string[],
  valuesMax: number,
): Promise<unknown> {
  const { member } = part;
  const value = await valueOf(part, member, valuesMax);
  if (collections.includes(member) && value !== null) throw memberFault(member, 'must be a list');
  if (member === 'version' && value !== EXPORT_VERSION) throw memberFault(member, `must be ${EXPORT_VERSION}`);
  return value;
}

export const memberFault = (path: string, message: string): Invalid =>
  new Invalid('validation_failed', `${path}: ${message}`, [{ path, message }]);

async function valueOf(
  part: FilePart,
  place: string,
  valuesMax: number,
  parse?: typeof parseWithSources,
): Promise<unknown> {
  if ('fault' in part) throw memberFault(place, part.fault);
  try {
    return await inTurns(exactJsonInPieces(part.json, valuesMax, parse));
  } catch (error) {
    if (error instanceof TooManyValues) {
      throw memberFault(place, `has more than ${valuesMax} values (limits.body_values)`);
    }
    if (error instanceof JsonSyntaxError) throw new Invalid('malformed_json', `${place}: ${error.message}`);
    throw error;
  }
}
