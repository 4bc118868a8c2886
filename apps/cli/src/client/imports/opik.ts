import { basename } from 'node:path';
import { filledTextOf, listOf, readOpenAiUsage, type ReadUsage } from '@spandrel/plugin-api';
import type { ExportFiles } from './export-files.js';
import { digestOf, isMembers, keepId, keyOf, keysOf, kindFor, leftOf, membersOf } from './foreign-values.js';
import { metadataWith, nameOf, timeOf, type Members } from './foreign-values.js';
import type { Intake, Place } from './intake.js';
import type { Product } from './product.js';

/** What has no place here. */
const NOT_TAKEN: readonly (readonly [RegExp, string])[] = [
  [/^prompt_/, 'is a prompt; prompts are not kept here'],
  [/^experiment_/, 'is an experiment; runs of another product are not taken, their traces and datasets are'],
];

/** Folders that `opik export` writes: a file for each trace with its spans, and for each dataset. */
export class Opik implements Product {
  arrange(found: ExportFiles): void {
    found.files = found.files.filter(({ name }) => {
      const reason = NOT_TAKEN.find(([pattern]) => pattern.test(basename(name)))?.[1];
      if (reason !== undefined) found.leftOut.push({ file: name, message: reason });
      return reason === undefined && !`/${name}`.includes('/attachments/');
    });
  }

  knows(record: unknown): boolean {
    const { trace, spans, items } = membersOf(record);
    return (isMembers(trace) && Array.isArray(spans)) || (Array.isArray(items) && nameOfDataset(record) !== undefined);
  }

  async take(record: unknown, place: Place, intake: Intake): Promise<void> {
    const { trace, spans, items, description, ...rest } = membersOf(record);
    if (isMembers(trace)) return takeTrace(trace, listOf(spans).map(membersOf), rest, place, intake);
    for (const item of listOf(items)) {
      await intake.addDatapoint(nameOfDataset(record)!, description, rowOf(membersOf(item)), place);
    }
  }
}

const nameOfDataset = (record: unknown): string | undefined =>
  keyOf(membersOf(record)['name'] ?? membersOf(membersOf(record)['dataset'])['name']);

async function takeTrace(trace: Members, spans: Members[], file: Members, place: Place, intake: Intake): Promise<void> {
  const { id, name, start_time: start, end_time: end, input, output, metadata, tags, ...others } = trace;
  const { error_info: error, thread_id: thread, feedback_scores: scores, ...rest } = others;
  const began = timeOf(start);
  if (filledTextOf(id) === null || began === undefined)
    return intake.leaveOut(place, 'a trace without id or start_time');
  const traceId = keepId(String(id));
  const made = {
    ...{ id: traceId, name: nameOf(name, 'trace'), session_id: keyOf(thread) ?? null, tags: keysOf(tags) },
    started_at: began,
    metadata: metadataWith(metadata, 'opik', {
      ...{ ...rest, project_name: file['project_name'], attachments: file['attachments'] },
      ...(traceId !== id && { id }),
    }),
  };
  await intake.add('traces', made, place);
  const roots = spans.filter((span) => filledTextOf(span['parent_span_id']) === null);
  const said = digestOf([input ?? null, output ?? null]);
  const isSaid = roots.length === 1 && said === digestOf([roots[0]!['input'] ?? null, roots[0]!['output'] ?? null]);
  const rootId = isSaid ? null : keepId(`${String(id)}:trace`);
  if (rootId !== null) {
    await intake.add(
      'spans',
      {
        ...{ id: rootId, trace_id: traceId, name: made.name, kind: kindFor('trace', '', {}) },
        ...{ input: input ?? null, output: output ?? null, ...failureOf(error) },
        ...{
          started_at: began,
          ended_at: timeOf(end) ?? began,
          metadata: metadataWith(null, 'opik', { error_info: error }),
        },
      },
      place,
      made,
    );
  }
  for (const span of spans) await takeSpan(span, rootId, made, place, intake);
  await takeScores(scores, { trace_id: traceId }, place, intake);
}

async function takeSpan(
  span: Members,
  rootId: string | null,
  trace: Members,
  place: Place,
  intake: Intake,
): Promise<void> {
  const {
    id,
    trace_id: _trace,
    parent_span_id: parent,
    name,
    type,
    start_time: start,
    end_time: end,
    ...others
  } = span;
  const { input, output, metadata, model, provider, usage, total_estimated_cost: cost, ...more } = others;
  const { error_info: error, feedback_scores: scores, ...rest } = more;
  const began = timeOf(start);
  if (filledTextOf(id) === null || began === undefined) {
    return intake.leaveOut(place, `span ${String(id)} has no id or no start_time`);
  }
  const spanId = keepId(String(id));
  const spanName = nameOf(name, String(type));
  const kind = kindFor(String(type ?? 'general'), spanName, { model, provider, usage: usageOf(usage, cost) });
  intake.count(String(type ?? 'general'), kind.type);
  await intake.add(
    'spans',
    {
      ...{ id: spanId, trace_id: trace['id'], name: spanName, kind, input: input ?? null, output: output ?? null },
      parent_id: filledTextOf(parent) === null ? rootId : keepId(String(parent)),
      ...{ started_at: began, ended_at: timeOf(end) ?? began, ...failureOf(error) },
      metadata: metadataWith(metadata, 'opik', {
        ...{ ...rest, usage, error_info: error, ...(spanId !== id && { id }) },
        ...(timeOf(end) === undefined && { end_time: 'none' }),
      }),
    },
    place,
    trace,
  );
  await takeScores(scores, { trace_id: trace['id'], span_id: spanId }, place, intake);
}

function failureOf(info: unknown): { error?: string } {
  const { exception_type: type, message } = membersOf(info);
  const error = [type, message].filter((one) => filledTextOf(one) !== null).join(': ');
  return isMembers(info) && Object.keys(info).length > 0 ? { error: error || 'error' } : {};
}

/** Counts in OpenAI's names, and below `original_usage.` what the provider said, member by member. */
function usageOf(usage: unknown, cost: unknown): ReadUsage {
  const counts: Members = {};
  for (const [path, value] of Object.entries(membersOf(usage))) {
    const names = path.replace(/^original_usage\./, '').split('.');
    let place = counts;
    for (const name of names.slice(0, -1)) place = (place[name] = membersOf(place[name])) as Members;
    place[names.at(-1)!] = value;
  }
  const dollars = Number(JSON.isRawJSON(cost) ? cost.rawJSON : cost);
  return { ...readOpenAiUsage(counts), ...(cost !== null && Number.isFinite(dollars) && { cost: dollars }) };
}

const SOURCES: Readonly<Record<string, string>> = { ui: 'human', online_scoring: 'judge' };

/** A score for each person who gave one. Theirs have no ids: they are known by what they are about, name and author. */
async function takeScores(scores: unknown, target: Members, place: Place, intake: Intake): Promise<void> {
  for (const score of listOf(scores).map(membersOf)) {
    const { value_by_author: byAuthor, ...alone } = score;
    const given = Object.entries(membersOf(byAuthor)).map(([author, one]) => ({ ...alone, author, ...membersOf(one) }));
    for (const one of given.length > 0 ? given : [{ ...alone, author: alone['created_by'] }]) {
      const { name, category_name: category, value, reason, source, author, ...rest } = one as Members;
      await intake.add(
        'scores',
        {
          ...{ id: keepId(`opik:${digestOf([target, name, author ?? null]).slice(0, 32)}`), ...target },
          ...{ name: keyOf(name) ?? 'score', value, label: keyOf(category) ?? null },
          ...{ comment: filledTextOf(reason)?.slice(0, 10_000) ?? null, source: SOURCES[String(source)] ?? 'code' },
          ...{ author: keyOf(author) ?? 'opik', metadata: metadataWith(null, 'opik', rest) },
        },
        place,
      );
    }
  }
}

const EXPECTED = ['expected_output', 'expected', 'reference', 'answer'];

/** Items of Opik have any members: those that say what is asked and expected by the usual names, the rest in metadata. */
function rowOf(item: Members): Members {
  const { metadata, ...given } = item;
  const name = EXPECTED.find((one) => given[one] !== undefined && given[one] !== null);
  const { [name ?? '']: expected, ...asked } = given;
  const { input, ...rest } = asked;
  const whole = input === undefined || input === null;
  return {
    input: whole ? asked : input,
    ...leftOf({ expected_output: expected }),
    metadata: metadataWith(metadata, 'opik', whole ? {} : rest),
  };
}
