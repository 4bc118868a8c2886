import { Injectable } from '@nestjs/common';
import { CoreSettings, Turn, type Scope } from '@spandrel/kernel';
import { limitBySize } from '@spandrel/storage';
import { RecordSpans, SpanLookups, type SpanAmendment } from '@spandrel/tracing';
import { ExportReader } from '../aside/export-reader.js';
import { DialectReader } from '../reading/dialect-reader.js';
import { EvaluationScores } from './evaluation-scores.js';
import { membersFromEvents } from './log-event.js';
import { logsMerged, type LogContents } from './log-members.js';
import { keyOfSpan, OtlpEventStore, type KnownEvents, type SpanName } from './otlp-event.store.js';
import { StoredLook, type LookRoom } from './stored-look.js';

/** Bytes of events that are merged with one span, in bodies of the largest size: one for its input and one for its output. */
const EVENTS_BODIES = 2;

/** Payloads of stored spans that one transaction looks at, in bytes, unless a single span has more. */
const SPANS_BYTES = 1_048_576;

/** Brings log events to the spans that they belong to, as far as these are there. */
@Injectable()
export class MergeEvents {
  constructor(
    private readonly events: OtlpEventStore,
    private readonly recordSpans: RecordSpans,
    private readonly dialects: DialectReader,
    private readonly core: CoreSettings,
    private readonly reader: ExportReader,
    private readonly lookups: SpanLookups,
    private readonly evaluations: EvaluationScores,
  ) {}

  /**
   * Merges what is known of some spans into them; those that are not there are left to wait. Doing it again changes nothing.
   * @throws Unavailable when the database is lost, or no thread looks at large ones in time.
   */
  async execute(scope: Scope, spans: readonly SpanName[]): Promise<void> {
    const known = await this.events.known(scope, spans);
    if (known.length === 0) return;
    const logged = await this.contentsOf(scope, known);
    const bytesMax = EVENTS_BODIES * this.core.bodyBytes;
    const merges = known.map((events) => ({
      events,
      look: new StoredLook(
        () => logged.has(keyOfSpan(events)),
        async (stored) =>
          this.reader.merge(scope, { ...events, stored, other: await this.events.ofLarge(scope, events, bytesMax) }),
      ),
    }));
    const met: SpanName[] = [];
    const write = async (some: readonly (typeof merges)[number][], room: LookRoom): Promise<void> => {
      const amendments = some.map(({ events: { traceId, spanId }, look }): SpanAmendment => ({
        ...{ traceId, spanId },
        amend: (stored) => {
          const when = look.at(stored, room);
          if (when === 'later') return undefined;
          return when === 'read' ? look.view : logsMerged(stored, logged.get(keyOfSpan({ traceId, spanId }))!);
        },
      }));
      const { found } = await this.recordSpans.execute(scope, [], amendments);
      met.push(...some.flatMap(({ events }, index) => (found[index] && events.merged === 0 ? events : [])));
    };
    for (const some of await this.groups(scope, merges)) await StoredLook.all(some, write);
    if (met.length > 0) await this.evaluations.writeOfLogs(scope, met);
    await this.events.setMerged(scope, met);
  }

  /** Parts of what is to be merged, each of spans that one transaction may bring into memory. */
  private async groups<Merge extends { events: SpanName }>(scope: Scope, merges: readonly Merge[]): Promise<Merge[][]> {
    const sizes = await this.lookups.sizesOf(
      scope,
      merges.map(({ events }) => events.spanId),
    );
    let rest = merges.map((merge) => ({ merge, bytes: sizes.get(merge.events.spanId) ?? 0 }));
    const groups: Merge[][] = [];
    while (rest.length > 0) {
      const fitting = limitBySize(rest, SPANS_BYTES);
      groups.push(fitting.map(({ merge }) => merge));
      rest = rest.slice(fitting.length);
    }
    return groups;
  }

  /** What the events of spans contain, where these are few and small; the others are read in threads. */
  async contentsOf(scope: Scope, known: readonly KnownEvents[]): Promise<Map<string, LogContents>> {
    const logged = new Map<string, LogContents>();
    const turn = new Turn();
    for await (const rows of this.events.ofSmall(scope, known)) {
      const name = rows[0]!;
      logged.set(keyOfSpan(name), membersFromEvents(name, rows, this.dialects, this.core.bodyBytes));
      if (turn.isOver()) await turn.next();
    }
    return logged;
  }
}
