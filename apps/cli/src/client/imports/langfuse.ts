import { parseTimestamp } from '@spandrel/contract';
import { filledTextOf, readUsageBuckets, textOf } from '@spandrel/plugin-api';
import type { ExportFiles } from './export-files.js';
import { digestOf, isMembers, keepId, keyOf, keysOf, kindFor, leftOf, metadataWith } from './foreign-values.js';
import { nameOf, payloadOf, timeOf, type Members } from './foreign-values.js';
import type { Intake, Place } from './intake.js';
import type { Product } from './product.js';

const SOURCES: Readonly<Record<string, string>> = { ANNOTATION: 'human', EVAL: 'judge' };

/** What is known of a trace while its observations are read. */
interface SeenTrace {
  members: Members;
  /** The end of its last observation. */
  end: string;
  /** Digests of input and output of the observations without a parent. */
  roots: Set<string>;
  place: Place;
}

/**
 * Exports of Langfuse to blob storage (`observations_v2`, `observations`, `traces`, `scores`), in snake case, and the JSON
 * of one trace that its page downloads, in camel case. Traces come after their observations: only then is it known
 * whether an observation has what the trace was asked and answered.
 */
export class Langfuse implements Product {
  private readonly seen = new Map<string, SeenTrace>();

  arrange(found: ExportFiles): void {
    const folders = ['observations_v2', 'observations', 'traces', 'scores', 'manifests'];
    const folderOf = ({ name }: { name: string }): string =>
      folders.find((folder) => `/${name}`.includes(`/${folder}/`)) ?? folders[0]!;
    const hasNew = found.files.some(({ name }) => `/${name}`.includes('/observations_v2/'));
    const isRead = (folder: string): boolean => folder !== 'manifests' && !(hasNew && folder === 'observations');
    found.files = found.files
      .filter((file) => isRead(folderOf(file)))
      .toSorted((a, b) => folders.indexOf(folderOf(a)) - folders.indexOf(folderOf(b)));
  }

  knows(record: unknown): boolean {
    return formOf(snakeCase(record)) !== undefined;
  }

  async take(given: unknown, place: Place, intake: Intake): Promise<void> {
    const record = snakeCase(given);
    switch (formOf(record)) {
      case 'download':
        for (const one of [record['observations'], record['trace'], record['scores']].flat()) {
          if (this.knows(one)) await this.take(one, place, intake);
        }
        // The form of the public API: the trace itself, with its lists.
        if (filledTextOf(record['id']) !== null) {
          const { observations: _observations, scores: _scores, ...trace } = record;
          await this.takeTrace(trace, place, intake);
        }
        break;
      case 'observation':
        return this.takeObservation(record, place, intake);
      case 'trace':
        return this.takeTrace(record, place, intake);
      default:
        return takeScore(record, place, intake);
    }
  }

  /** Sends what observations say of traces that have no record of their own. */
  async finish(intake: Intake): Promise<void> {
    for (const { members, place } of this.seen.values()) {
      if ('id' in members) await intake.add('traces', members, place);
    }
  }

  private async takeObservation(record: Members, place: Place, intake: Intake): Promise<void> {
    const { id, trace_id: of, type, name, parent_observation_id: parent, start_time: start, ...others } = record;
    const { end_time: end, input, output, metadata, level, status_message: message, ...more } = others;
    const { provided_model_name: provided, model, model_parameters: parameters, usage_details: usage, ...also } = more;
    const { cost_details: cost, total_cost: total, completion_start_time: first, ...context } = also;
    const { user_id: user, session_id: session, trace_name: traceName, tags, release, environment, ...rest } = context;
    const [began, ended] = [timeOf(start), timeOf(end) ?? timeOf(first) ?? timeOf(start)];
    if (began === undefined) return intake.leaveOut(place, `observation ${String(id)} has no start_time`);
    const traceId = keepId(String(of));
    const spanName = nameOf(name, String(type).toLowerCase());
    const kind = kindFor(String(type), spanName, {
      model: provided ?? model,
      usage: readUsageBuckets(payloadOf(usage), withTotal(payloadOf(cost), total)),
    });
    const request = payloadOf(parameters);
    const [asked, answered] = [payloadOf(input), payloadOf(output)];
    const firstMs = parseTimestamp(timeOf(first) ?? '');
    const own = metadataWith(valuesOf(metadata), 'langfuse', {
      ...rest,
      ...(keepId(String(id)) !== id && { id }),
      ...(traceId !== of && { trace_id: of }),
      ...{ cost_details: cost, ...(level !== 'DEFAULT' && { level }) },
      ...(kind['model'] === undefined && { provided_model_name: provided, usage_details: usage }),
      ...(level !== 'ERROR' && { status_message: message }),
      ...(timeOf(end) === undefined && { end_time: 'none' }),
    });
    const span = {
      ...{ id: keepId(String(id)), trace_id: traceId, name: spanName, kind, input: asked, output: answered },
      parent_id: filledTextOf(parent) === null ? null : keepId(String(parent)),
      ...(level === 'ERROR' && { error: filledTextOf(message) ?? 'error' }),
      ...{ started_at: began, ended_at: ended },
      metadata: {
        ...(leftOf({ request }) && { request }),
        ...(firstMs !== undefined && { time_to_first_token_ms: firstMs - parseTimestamp(began)! }),
        ...own,
      },
    };
    const seen = this.see(traceId, place);
    const { members } = seen;
    if (ended! > seen.end) seen.end = ended!;
    if (span.parent_id === null) seen.roots.add(`${digestOf(asked)} ${digestOf(answered)}`);
    const allTags = [...new Set([...keysOf(members['tags']), ...keysOf(tags)])];
    const ofTrace = leftOf({
      name: filledTextOf(traceName) === null ? null : nameOf(traceName, ''),
      ...{ session_id: keyOf(session), user_id: keyOf(user), metadata: leftOf({ environment, release }) },
    });
    // What the first observation that says it says, as far as it stands in all of them.
    seen.members = { ...ofTrace, ...members, ...(allTags.length > 0 && { tags: allTags }) };
    intake.count(String(type).toLowerCase(), kind.type);
    const stub = { id: traceId, defaults: { name: nameOf(traceName, spanName), started_at: began } };
    await intake.add('spans', span, place, stub);
  }

  private async takeTrace(record: Members, place: Place, intake: Intake): Promise<void> {
    const { id, timestamp, name, metadata, user_id: user, session_id: session, tags, ...others } = record;
    const { input, output, environment, release, version, ...rest } = others;
    const began = timeOf(timestamp);
    if (began === undefined) return intake.leaveOut(place, `trace ${String(id)} has no timestamp`);
    const traceId = keepId(String(id));
    const seen = this.see(traceId, place);
    const trace = {
      ...{ id: traceId, name: filledTextOf(name) === null ? null : nameOf(name, ''), started_at: began },
      ...{ session_id: keyOf(session) ?? null, user_id: keyOf(user) ?? null, tags: keysOf(tags) },
      metadata: {
        ...leftOf({ environment, release, version }),
        ...metadataWith(valuesOf(metadata), 'langfuse', { ...rest, ...(traceId !== id && { id }) }),
      },
    };
    seen.members = {};
    await intake.add('traces', trace, place);
    const [asked, answered] = [payloadOf(input), payloadOf(output)];
    const isSaid = [...seen.roots].some((root) => {
      const [rootAsked, rootAnswered] = root.split(' ');
      return (
        (asked === null || rootAsked === digestOf(asked)) && (answered === null || rootAnswered === digestOf(answered))
      );
    });
    if (isSaid || (asked === null && answered === null && seen.end !== '')) return;
    const span = {
      ...{ id: keepId(`${String(id)}:trace`), trace_id: traceId, name: nameOf(name, 'trace') },
      ...{
        kind: kindFor('trace', '', {}),
        input: asked,
        output: answered,
        metadata: { imported: { from: 'langfuse' } },
      },
      ...{ started_at: began, ended_at: seen.end > began ? seen.end : began },
    };
    await intake.add('spans', span, place, trace);
  }

  private see(traceId: string, place: Place): SeenTrace {
    const found = this.seen.get(traceId);
    if (found) return found;
    const made = { members: { id: traceId }, end: '', roots: new Set<string>(), place };
    this.seen.set(traceId, made);
    return made;
  }
}

async function takeScore(record: Members, place: Place, intake: Intake): Promise<void> {
  const { id, trace_id: trace, observation_id: span, session_id: session, name, value, source, ...others } = record;
  const { comment, data_type: type, string_value: text, author_user_id: author, metadata, ...rest } = others;
  const isText = type === 'TEXT' || type === 'CORRECTION';
  const isOfTrace = filledTextOf(trace) !== null;
  if (!isOfTrace && filledTextOf(session) === null) {
    return intake.leaveOut(place, `score ${String(id)} is about neither a trace nor a session`);
  }
  const score = {
    ...{ id: keepId(String(id)), name: nameOf(name, 'score').slice(0, 512), author: keyOf(author) ?? 'langfuse' },
    source: SOURCES[String(source)] ?? 'code',
    ...(isOfTrace ? { trace_id: keepId(String(trace)) } : { session_id: session }),
    ...(filledTextOf(span) !== null && { span_id: keepId(String(span)) }),
    ...(!isText && type !== 'CATEGORICAL' && { value }),
    ...(!isText && { label: keyOf(text) ?? null }),
    comment: (textOf(isText ? text : comment) || null)?.slice(0, 10_000) ?? null,
    metadata: metadataWith(valuesOf(metadata), 'langfuse', {
      ...{ ...rest, data_type: type },
      ...(isText ? { comment } : type === 'CATEGORICAL' && { value }),
      ...(isOfTrace && { session_id: session }),
      ...(keepId(String(id)) !== id && { id }),
    }),
  };
  await intake.add('scores', score, place);
}

type Form = 'download' | 'observation' | 'trace' | 'score';

/** What a record is, by the members that it alone has. */
function formOf(record: Members): Form | undefined {
  const has = (...names: string[]): boolean => names.every((name) => record[name] !== undefined);
  if (Array.isArray(record['observations']) && record['spans'] === undefined) return 'download';
  if (has('id', 'trace_id', 'type', 'start_time') && !has('spans')) {
    return String(record['type']) === String(record['type']).toUpperCase() ? 'observation' : undefined;
  }
  if (has('id', 'name', 'data_type') || has('id', 'name', 'source', 'observation_id')) return 'score';
  return has('id', 'timestamp') && !has('context') ? 'trace' : undefined;
}

/** The members of a record, those in camel case by the names that exports have. */
function snakeCase(record: unknown): Members {
  if (!isMembers(record)) return {};
  const entries = Object.entries(record).map(([name, value]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  return Object.fromEntries(entries) as Members;
}

const withTotal = (details: unknown, total: unknown): Members =>
  isMembers(details) && Object.keys(details).length > 0 ? details : { total };

/** Metadata whose values are all texts there, JSON of what is none. */
function valuesOf(metadata: unknown): unknown {
  const read = payloadOf(metadata);
  if (!isMembers(read)) return read;
  return Object.fromEntries(Object.entries(read).map(([name, value]) => [name, payloadOf(value)]));
}
