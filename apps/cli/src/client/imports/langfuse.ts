import { parseTimestamp } from '@spandrel/contract';
import { filledTextOf, readUsageBuckets } from '@spandrel/plugin-api';
import type { ExportFiles } from './export-files.js';
import { scoreOf, spanOf, spanOfTrace, traceOf } from './foreign-records.js';
import { digestOf, isMembers, keepId, keyOf, keysOf, leftOf, membersOf } from './foreign-values.js';
import { nameOf, payloadOf, textOf, timeOf, type Members } from './foreign-values.js';
import type { Intake, Place, Product } from './intake.js';

/** What is known of a trace while its observations are read. */
interface SeenTrace {
  members: Members;
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
        if (textOf(record['id']) !== null) {
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
    const { id, trace_id: traceId, type, name, parent_observation_id: parent, start_time: start, ...others } = record;
    const { end_time: end, input, output, metadata, level, status_message: message, ...more } = others;
    const { provided_model_name: provided, model, model_parameters: parameters, usage_details: counts, ...also } = more;
    const { cost_details: costs, total_cost: total, completion_start_time: first, ...context } = also;
    const { user_id: user, session_id: session, trace_name: traceName, tags, release, environment, ...rest } = context;
    const dollars = payloadOf(costs);
    const usage = readUsageBuckets(payloadOf(counts), leftOf(membersOf(dollars)) ?? { total });
    const isFailed = level === 'ERROR';
    const span = spanOf('langfuse', {
      ...{ id, traceId, parent, name, type, model: provided ?? model, usage, input, output, start, end: end ?? first },
      ...{ error: isFailed ? (filledTextOf(message) ?? 'error') : undefined, metadata: valuesOf(metadata) },
      rest: {
        ...{ ...rest, cost_details: costs, status_message: isFailed ? null : message },
        level: level === 'DEFAULT' ? null : level,
      },
    });
    if (!span) return intake.leaveOut(place, `observation ${textOf(id)} has no id, trace or start`);
    const firstMs = parseTimestamp(timeOf(first) ?? '');
    const request = payloadOf(parameters);
    span.metadata = {
      ...leftOf({ request }),
      ...(firstMs !== undefined && { time_to_first_token_ms: firstMs - parseTimestamp(span.started_at)! }),
      ...span.metadata,
    };
    const seen = this.see(span.trace_id, place);
    const { members } = seen;
    if (span.ended_at > seen.end) seen.end = span.ended_at;
    if (span.parent_id === null) seen.roots.add(`${digestOf(span.input)} ${digestOf(span.output)}`);
    const allTags = [...new Set([...keysOf(members['tags']), ...keysOf(tags)])];
    const traceNamed = filledTextOf(traceName) && nameOf(traceName, '');
    const ofTrace = { name: traceNamed, session_id: keyOf(session), user_id: keyOf(user) };
    // The first observation that says a member counts; tags are those of all.
    seen.members = {
      ...{
        ...leftOf({ ...ofTrace, metadata: leftOf({ environment: textOf(environment), release: textOf(release) }) }),
        ...members,
      },
      ...leftOf({ tags: allTags }),
    };
    intake.count(textOf(type)!, span.kind.type);
    const defaults = { name: traceNamed ?? span.name, started_at: span.started_at };
    await intake.add('spans', span, place, { id: span.trace_id, defaults });
  }

  private async takeTrace(record: Members, place: Place, intake: Intake): Promise<void> {
    const { id, timestamp: start, name, metadata, user_id: user, session_id: session, tags, ...others } = record;
    const { input, output, environment, release, version, ...rest } = others;
    const own = { ...leftOf({ environment, release, version }), ...membersOf(valuesOf(metadata)) };
    const trace = traceOf('langfuse', { id, name, start, session, user, tags, metadata: own, rest });
    if (!trace) return intake.leaveOut(place, `trace ${textOf(id)} has no id or timestamp`);
    const seen = this.see(trace.id, place);
    seen.members = {};
    await intake.add('traces', trace, place);
    const said = [payloadOf(input), payloadOf(output)];
    const isSaid = [...seen.roots].some((root) =>
      root.split(' ').every((digest, at) => said[at] === null || digest === digestOf(said[at])),
    );
    if (isSaid || (said.every((one) => one === null) && seen.end !== '')) return;
    const end = seen.end > trace.started_at ? seen.end : trace.started_at;
    await intake.add('spans', spanOfTrace('langfuse', trace, { input, output, end }), place, trace);
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
  const { id: theirs, trace_id: about, observation_id: part, session_id: session, name, ...more } = record;
  const { value, source, ...others } = more;
  const [id, trace, span] = [theirs, about, part].map(textOf);
  const { comment, data_type: type, string_value: text, author_user_id: author, metadata, ...rest } = others;
  const isText = type === 'TEXT' || type === 'CORRECTION';
  const isNumber = !isText && type !== 'CATEGORICAL';
  const target = trace ? { trace_id: keepId(trace) } : leftOf({ session_id: session });
  if (!id) return intake.leaveOut(place, 'a score has no id');
  if (!target) return intake.leaveOut(place, `score ${id} is about neither a trace nor a session`);
  const ofSpan = span ? { span_id: keepId(span) } : {};
  const score = scoreOf(
    'langfuse',
    { ...target, ...ofSpan },
    {
      ...{ id, name, source, author, value: isNumber ? value : null, label: isText ? null : text },
      ...{ comment: isText ? text : comment, metadata: valuesOf(metadata) },
      rest: {
        ...{ ...rest, data_type: type, value: isNumber ? null : value, comment: isText ? comment : null },
        session_id: 'session_id' in target ? null : session,
      },
    },
  );
  await intake.add('scores', score, place);
}

type Form = 'download' | 'observation' | 'trace' | 'score';

/** What a record is, by the members that it alone has. */
function formOf(record: Members): Form | undefined {
  const has = (...names: string[]): boolean => names.every((name) => record[name] !== undefined);
  if (Array.isArray(record['observations']) && record['spans'] === undefined) return 'download';
  if (has('id', 'trace_id', 'type', 'start_time') && !has('spans')) {
    const { type } = record;
    return typeof type === 'string' && type === type.toUpperCase() ? 'observation' : undefined;
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

/** Metadata whose values are all texts there, JSON of what is none. */
function valuesOf(metadata: unknown): unknown {
  const read = payloadOf(metadata);
  if (!isMembers(read)) return read;
  return Object.fromEntries(Object.entries(read).map(([name, value]) => [name, payloadOf(value)]));
}
