import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import type { EventBatch } from './event-batch.js';

/** Stands in short lines wherever a text is left out. JSON never has it: within texts it is escaped. */
export const SHORT_MARK = '\u0001';

/** An event of the log whose texts lie elsewhere, and its number. */
export interface ShortLine {
  seq: number;
  line: string;
}

/** Events with their texts again. */
export interface RestoredLines {
  /** One for each short line, as it was sent live. */
  lines: readonly string[];
  /** How many texts are not where the lines say; `null` stands in their places. */
  missing: number;
}

/**
 * A place where texts lie that events of the log refer to. Who emits events with a short form ({@link WireEvent.short})
 * provides it, and sees to it that a text stays as it was when its event was told for as long as the log has the event.
 */
export interface EventTextSource {
  restore(scope: Scope, lines: readonly ShortLine[]): Promise<RestoredLines>;

  /** Deletes texts to which no event of the log refers any more. Called each time old events have been deleted. */
  prune(stopped: AbortSignal): Promise<void>;
}

/** Puts events of the log together again, of which the log has a short form alone (docs/adr/0035-events-refer-to-texts.md). */
@Injectable()
export class EventTexts {
  private source: EventTextSource | undefined;

  register(source: EventTextSource): void {
    this.source = source;
  }

  /**
   * Events of the log as they were sent live.
   * @param takes whether an event is wanted, also by its short form; others become empty lines.
   * @param afterSeq events up to here are not wanted either.
   */
  async restore(
    scope: Scope,
    batches: readonly EventBatch[],
    afterSeq: number,
    takes: (line: string) => boolean,
  ): Promise<{ batches: EventBatch[]; missing: number }> {
    const short: ShortLine[] = [];
    for (const { firstSeq, lines } of batches) {
      for (const [index, line] of lines.entries()) {
        if (isShort(line) && firstSeq + index > afterSeq && takes(line)) short.push({ seq: firstSeq + index, line });
      }
    }
    const { lines: restored, missing } = short.length === 0 ? NOTHING : await this.whole(scope, short);
    const whole = new Map(short.map(({ seq }, index) => [seq, restored[index]!]));
    const lineOf = (line: string, seq: number): string => (isShort(line) ? (whole.get(seq) ?? '') : line);
    return {
      missing,
      batches: batches.map((batch) => ({
        ...batch,
        lines: batch.lines.map((line, index) => lineOf(line, batch.firstSeq + index)),
      })),
    };
  }

  async prune(stopped: AbortSignal): Promise<void> {
    await this.source?.prune(stopped);
  }

  private whole(scope: Scope, lines: readonly ShortLine[]): Promise<RestoredLines> {
    if (!this.source) throw new Error('the event log refers to texts of a feature that is not loaded');
    return this.source.restore(scope, lines);
  }
}

const NOTHING: RestoredLines = { lines: [], missing: 0 };

const isShort = (line: string): boolean => line.includes(SHORT_MARK);
