import { amountOf, filledTextOf, listOf, readOpenAiUsage, type ReadUsage } from '@spandrel/plugin-api';
import type { ExportFiles } from './export-files.js';
import { scoreOf, spanOf, spanOfTrace, traceOf, type TraceItem } from './foreign-records.js';
import { digestOf, isMembers, keyOf, leftOf, membersOf, metadataWith, setAt, textOf } from './foreign-values.js';
import type { Members } from './foreign-values.js';
import type { Intake, Place, Product } from './intake.js';

/** Folders that `opik export` writes: a file for each trace with its spans, and for each dataset. */
export class Opik implements Product {
  arrange(found: ExportFiles): void {
    found.files = found.files.filter(({ name }) => !`/${name}`.includes('/attachments/'));
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

async function takeTrace(given: Members, spans: Members[], file: Members, place: Place, intake: Intake): Promise<void> {
  const { id, name, start_time: start, end_time: end, input, output, metadata, tags, ...others } = given;
  const { error_info: error, thread_id: session, feedback_scores: scores, ...rest } = others;
  const { project_name, attachments } = file;
  const kept = { ...rest, project_name, attachments };
  const trace = traceOf('opik', { id, name, start, session, tags, metadata, rest: kept });
  if (!trace) return intake.leaveOut(place, 'a trace without id or start_time');
  await intake.add('traces', trace, place);
  const roots = spans.filter((span) => textOf(span['parent_span_id']) === null);
  const saidBy = (one: Members): string => digestOf([one['input'] ?? null, one['output'] ?? null]);
  const isSaid = roots.length === 1 && saidBy(roots[0]!) === saidBy(given);
  const said = { input, output, end, error: failureOf(error), rest: { error_info: error } };
  const root = isSaid ? undefined : spanOfTrace('opik', trace, said);
  if (root) await intake.add('spans', root, place, trace);
  for (const span of spans) await takeSpan(span, root?.id ?? null, trace, place, intake);
  await takeScores(scores, { trace_id: trace.id }, place, intake);
}

async function takeSpan(
  given: Members,
  rootId: string | null,
  trace: TraceItem,
  place: Place,
  intake: Intake,
): Promise<void> {
  const { id, parent_span_id: parent, name, type, start_time: start, end_time: end, ...others } = given;
  const { trace_id: _trace, input, output, metadata, model, provider, usage: counts, ...more } = others;
  const { total_estimated_cost: cost, error_info: error, feedback_scores: scores, ...rest } = more;
  const kept = { ...rest, usage: counts, error_info: error };
  const span = spanOf('opik', {
    ...{
      id,
      traceId: trace.id,
      parent,
      name,
      type: textOf(type) ?? 'general',
      model,
      provider,
      usage: usageOf(counts, cost),
    },
    ...{ input, output, start, end, error: failureOf(error), metadata, rest: kept },
  });
  if (!span) return intake.leaveOut(place, `span ${textOf(id)} has no id or no start_time`);
  span.parent_id ??= rootId;
  intake.count(textOf(type) ?? 'general', span.kind.type);
  await intake.add('spans', span, place, trace);
  await takeScores(scores, { trace_id: trace.id, span_id: span.id }, place, intake);
}

function failureOf(info: unknown): string | undefined {
  const { exception_type: type, message } = membersOf(info);
  const words = [type, message].filter((one) => filledTextOf(one) !== null).join(': ');
  return leftOf(membersOf(info)) && (words || 'error');
}

/** Counts in OpenAI's names, and below `original_usage.` what the provider said, member by member. */
function usageOf(usage: unknown, cost: unknown): ReadUsage {
  const counts: Members = {};
  for (const [path, value] of Object.entries(membersOf(usage))) {
    setAt(counts, path.replace(/^original_usage\./, '').split('.'), value);
  }
  return { ...readOpenAiUsage(counts), ...leftOf({ cost: amountOf(cost) }) };
}

/** A score for each person who gave one. Theirs have no ids: they are known by what they are about, name and author. */
async function takeScores(scores: unknown, target: Members, place: Place, intake: Intake): Promise<void> {
  for (const score of listOf(scores).map(membersOf)) {
    const { value_by_author: byAuthor, ...alone } = score;
    const given = Object.entries(membersOf(byAuthor)).map(([author, one]) => ({ ...alone, author, ...membersOf(one) }));
    for (const one of given.length > 0 ? given : [{ ...alone, author: alone['created_by'] }]) {
      const { name, category_name: label, value, reason: comment, source, author, ...rest } = one as Members;
      const id = `opik:${digestOf([target, name, author ?? null]).slice(0, 32)}`;
      const members = { id, name, value, label, comment, source, author, metadata: null, rest };
      await intake.add('scores', scoreOf('opik', target, members), place);
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
