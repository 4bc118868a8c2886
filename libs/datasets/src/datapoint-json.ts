import { formatTimestamp, jsonMembers } from '@spandrel/contract';
import type { WireEvent } from '@spandrel/events';
import type { DatapointRow } from './datapoint.entity.js';
import { sourceName } from './source.js';

/**
 * The JSON of `datapointResource(row)`, made without parsing and writing again what can be large: the kind is stored as JSON.
 * Members that the variant does not know stand behind those that it does.
 */
export const datapointJson = (row: DatapointRow): string =>
  `{"id":${JSON.stringify(row.id)},"dataset_id":${JSON.stringify(row.datasetId)},"kind":${kindJson(row)},` +
  `"source":${JSON.stringify(sourceName(row.source))},"source_span_id":${JSON.stringify(row.sourceSpanId)},` +
  `"created_at":"${formatTimestamp(row.createdAt)}","updated_at":"${formatTimestamp(row.updatedAt)}"}`;

/** The event of a datapoint that was made. */
export const datapointCreated = (row: DatapointRow): WireEvent => ({
  type: 'datapoint_created',
  get json() {
    return `{"type":"datapoint_created","datapoint":${datapointJson(row)}}`;
  },
});

/** What of a row its kind is made of. */
export type KindColumns = Pick<DatapointRow, 'kind' | 'resultOutput' | 'resultScore'>;

/** The members of each variant of a kind, in the order in which they are shown. */
export const KIND_MEMBERS = {
  Generic: ['input', 'expected_output', 'actual_output', 'score', 'metadata'],
  LlmConversation: ['messages', 'expected', 'metadata'],
};
/** Members that are left out where they are not there; `null` stands for the others. */
const ALWAYS_THERE: ReadonlySet<string> = new Set(['input', 'messages']);

/**
 * The members of a datapoint's kind as JSON texts, with the newest result of a run, when there is one, in its place.
 * @returns the variant's name, and the members that are stored.
 */
export function kindTexts({ kind, resultOutput, resultScore }: KindColumns): {
  name: keyof typeof KIND_MEMBERS;
  texts: Map<string, string>;
} {
  // One member, whose value may be long: its end is not looked for.
  const colon = kind.indexOf(':');
  const name = JSON.parse(kind.slice(kind.indexOf('"'), colon)) as keyof typeof KIND_MEMBERS;
  const texts = new Map<string, string>();
  for (const member of jsonMembers(kind, colon + 1)) {
    texts.set(member.name, kind.slice(member.valueStart, member.end));
  }
  if (name === 'Generic' && resultOutput !== null) {
    texts.set('actual_output', resultOutput).set('score', JSON.stringify(resultScore));
  }
  return { name, texts };
}

function kindJson(row: DatapointRow): string {
  const { name, texts } = kindTexts(row);
  const known = KIND_MEMBERS[name];
  const shown = known.filter((member) => !ALWAYS_THERE.has(member) || texts.has(member));
  const others = [...texts.keys()].filter((member) => !known.includes(member));
  const members = [...shown, ...others].map((member) => `${JSON.stringify(member)}:${texts.get(member) ?? 'null'}`);
  return `{"${name}":{${members.join(',')}}}`;
}
