import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EventHistory, EventTexts, type EventTextSource, type RestoredLines, type ShortLine } from '@spandrel/events';
import type { Scope } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { EventTextStore, type ReferredTexts } from './event-text.store.js';
import { referenceOf, wholeLine } from './short-span.js';
import { bitOf, TEXT_MEMBERS, type TextMembers } from './text-member.js';

/** Gives events of spans their texts back, and lets go of those that no event refers to any more (ADR 0035). */
@Injectable()
export class SpanEventTexts implements EventTextSource, OnModuleInit {
  constructor(
    private readonly events: EventTexts,
    private readonly history: EventHistory,
    private readonly texts: EventTextStore,
    private readonly storage: Storage,
  ) {}

  onModuleInit(): void {
    this.events.register(this);
  }

  async restore(scope: Scope, lines: readonly ShortLine[]): Promise<RestoredLines> {
    const references = lines.map(({ seq, line }) => ({ ...referenceOf(line), seq }));
    const texts = await this.texts.find(scope, references);
    return {
      lines: lines.map(({ line }, index) => wholeLine(line, texts[index]!)),
      missing: references.filter(({ members }, index) => isIncomplete(members, texts[index]!)).length,
    };
  }

  async prune(stopped: AbortSignal): Promise<void> {
    for (let last = ''; !stopped.aborted;) {
      const projectId = await this.texts.nextProject(last);
      if (projectId === null) return;
      const oldest = await this.history.oldest(projectId);
      while (!stopped.aborted && (await this.storage.write((tx) => this.texts.prune(tx, projectId, oldest))));
      last = projectId;
    }
  }
}

const isIncomplete = (members: TextMembers, texts: ReferredTexts): boolean =>
  TEXT_MEMBERS.some((member) => (members & bitOf(member)) !== 0 && texts[member] === null);
