import type { LogView, StoredTexts } from './log-members.js';

/** UTF-16 units of stored spans that one transaction looks into: some 10 ms of the worst of values. */
const LOOK_UNITS = 65_536;

export type LookRoom = { left: number };

/**
 * A look at what is stored of a span, which may be large: within a transaction where it takes no time, else in a thread between
 * two. What is written by then holds as long as the span is what it was.
 */
export class StoredLook {
  /** What the span is to have; of a look in a thread alone. */
  view: LogView | undefined;
  private isLater = false;
  private isRead = false;
  private met: StoredTexts | undefined;

  /** @param isSmall whether what the stored span is merged with takes no time either. @param aside looks in a thread. */
  constructor(
    private readonly isSmall: () => boolean,
    private readonly aside: (stored: StoredTexts) => Promise<LogView | undefined>,
  ) {}

  /** Within a transaction. @returns whether to look now, that {@link view} holds, or that it is not the time. */
  at(stored: StoredTexts, room: LookRoom): 'now' | 'read' | 'later' {
    this.isLater = false;
    if (this.isRead && PAYLOAD.every((member) => stored[member] === this.met![member])) return 'read';
    const units = unitsOf(stored);
    if (units <= room.left && this.isSmall()) {
      room.left -= units;
      return 'now';
    }
    const { input, output, metadata } = stored;
    [this.isLater, this.isRead, this.met] = [true, false, { input, output, metadata }];
    return 'later';
  }

  /** Writes things that look at stored spans, those for which it was not the time once more. */
  static async all<Item extends { look: StoredLook }>(
    items: readonly Item[],
    write: (some: readonly Item[], room: LookRoom) => Promise<void>,
  ): Promise<void> {
    let some = items;
    while (some.length > 0) {
      await write(some, { left: LOOK_UNITS });
      some = some.filter(({ look }) => look.isLater);
      for (const { look } of some) {
        if (unitsOf(look.met!) <= LOOK_UNITS && look.isSmall()) continue;
        look.view = await look.aside(look.met!);
        look.isRead = true;
      }
    }
  }
}

const PAYLOAD = ['input', 'output', 'metadata'] as const;
const unitsOf = (stored: StoredTexts): number =>
  PAYLOAD.reduce((sum, member) => sum + (stored[member]?.length ?? 0), 0);
