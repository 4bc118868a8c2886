import type { QueueItemResource } from '@spandrel/contract';
import { ApiError } from '../../api/api-error.js';
import type { Submission } from '../../api/queue.js';
import { excludedOf, note, type ReviewMemory } from './review-memory.js';

/** What the desk asks of the server. */
export interface DeskParts {
  /** Claims the oldest pending item. @returns `null` where no other is pending. */
  next(exclude: readonly string[]): Promise<QueueItemResource | null>;
  read(id: string): Promise<QueueItemResource>;
  claim(id: string): Promise<QueueItemResource>;
  release(id: string): Promise<unknown>;
  submit(id: string, submission: Submission): Promise<unknown>;
  /** Told after each submission, before the next item has come. */
  onSubmitted(): void;
}

/** Something that could not be done, with what does it again. */
interface DeskFault {
  title: string;
  error: Error;
  retry(): void;
}

export interface DeskState {
  /** The item that is claimed; while the next one is on its way, the one before. */
  item: QueueItemResource | null;
  isBusy: boolean;
  /** Whether no item is left. */
  isEmpty: boolean;
  fault: DeskFault | null;
  /** What happened last, to be read out. */
  said: string;
}

const START: DeskState = { item: null, isBusy: false, isEmpty: false, fault: null, said: '' };

/**
 * The place where one reviewer has one item of a dataset at a time: claims it, hands it in or gives it back, and claims the
 * next. What it holds when the reviewer leaves is released. While one thing is being done it takes no other.
 */
export class ReviewDesk {
  private state = START;
  private isTaken = false;
  /** The item that the server has claimed for this desk. */
  private held: QueueItemResource | null = null;
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly parts: DeskParts,
    private readonly memory: ReviewMemory,
  ) {}

  current = (): DeskState => this.state;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Somebody sits down: an item is claimed, unless one is here. */
  enter(): void {
    this.isTaken = true;
    if (this.held === null && !this.state.isBusy && !this.state.isEmpty && this.state.fault === null) this.lookAgain();
  }

  /** They leave: what is here is released, or as soon as it has come. */
  leave(): void {
    this.isTaken = false;
    if (!this.state.isBusy) void this.giveUp();
  }

  /** The item that is to be released where the whole page goes; none while something is being done with it. */
  heldWhileLeaving(): string | null {
    return this.state.isBusy ? null : (this.held?.id ?? null);
  }

  submit(submission: Submission): void {
    this.act(async (item) => {
      await this.parts.submit(item.id, submission);
      note(this.memory.submitted, item.id);
      this.parts.onSubmitted();
      return submission.edited === undefined ? 'Approved.' : 'Submitted.';
    }, 'The item could not be submitted');
  }

  skip(): void {
    this.act(async (item) => {
      await this.parts.release(item.id);
      note(this.memory.skipped, item.id);
      return 'Skipped.';
    }, 'The item could not be skipped');
  }

  release(): void {
    this.act(async (item) => {
      await this.parts.release(item.id);
      note(this.memory.released, item.id);
      return 'Released.';
    }, 'The item could not be released');
  }

  /** Claims an item, where there was none. */
  lookAgain(): void {
    if (!this.state.isBusy) void this.advance('');
  }

  /** Takes what was skipped out of its exile, and goes on. */
  takeSkipped(): void {
    this.memory.skipped.length = 0;
    this.lookAgain();
  }

  /**
   * Looks whether the item is still claimed for this desk, since something happened to it elsewhere. A claim that has ended
   * is made anew; where another has the item, the next one comes.
   */
  check(): void {
    const item = this.held;
    if (item === null) return;
    // What the reviewer does meanwhile goes first, and finds out by itself.
    const isConcerned = (): boolean => this.held === item && !this.state.isBusy;
    this.stillClaimed(item).then(
      (claimed) => {
        if (!isConcerned()) return;
        if (claimed === null) void this.advance(LOST['queue_item_already_claimed']!);
        else this.held = claimed;
      },
      (error: Error) => {
        if (isConcerned()) void this.fail(error, 'The claim of the item could not be checked', () => this.check());
      },
    );
  }

  /** Whether an item is here, and was claimed at another moment than this one says. */
  isClaimedOtherwise({ id, status, claimed_at: at }: Pick<QueueItemResource, 'id' | 'status' | 'claimed_at'>): boolean {
    return this.held?.id === id && !this.state.isBusy && (status !== 'claimed' || at !== this.held.claimed_at);
  }

  /** @returns the item as it is now, `null` where somebody else has it: two people may have one name. */
  private async stillClaimed(item: QueueItemResource): Promise<QueueItemResource | null> {
    const now = await this.parts.read(item.id);
    // One that is completed refuses, in words of its own.
    if (now.status !== 'claimed') return this.parts.claim(item.id);
    return now.claimed_by === item.claimed_by && now.claimed_at === item.claimed_at ? now : null;
  }

  /** @param work what is done with the item; it returns what is said of it. */
  private act(work: (item: QueueItemResource) => Promise<string>, title: string): void {
    const item = this.held;
    if (item === null || this.state.isBusy) return;
    this.change({ isBusy: true, fault: null });
    work(item).then(
      (said) => this.advance(said),
      (error: Error) => this.fail(error, title, () => this.act(work, title)),
    );
  }

  private async advance(said: string): Promise<void> {
    this.held = null;
    this.change({ isBusy: true, fault: null });
    try {
      const item = this.isTaken ? await this.parts.next(excludedOf(this.memory)) : null;
      this.held = item;
      if (item !== null) this.memory.reviewer = item.claimed_by;
      const words = item === null ? 'Nothing left to review.' : said === '' ? '' : 'Next item.';
      this.change({ item, isBusy: false, isEmpty: item === null && this.isTaken, said: `${said} ${words}`.trim() });
      this.giveUpWhereLeft();
    } catch (error) {
      const fault = {
        title: 'The next item could not be claimed',
        error: error as Error,
        retry: () => this.lookAgain(),
      };
      this.change({ item: null, isBusy: false, fault, said: said.trim() });
    }
  }

  /** An item that is no longer this reviewer's is said to be gone, and the next one comes. */
  private async fail(error: Error, title: string, retry: () => void): Promise<void> {
    const words = error instanceof ApiError ? LOST[error.code] : undefined;
    if (words !== undefined) return this.advance(words);
    this.change({ isBusy: false, fault: { title, error, retry } });
    this.giveUpWhereLeft();
    return undefined;
  }

  private giveUpWhereLeft(): void {
    if (!this.isTaken) void this.giveUp();
  }

  private async giveUp(): Promise<void> {
    const item = this.held;
    this.held = null;
    this.change({ item: null, isEmpty: false, fault: null, said: '' });
    // Where it cannot be released it is no longer claimed, or its claim ends by the server's time limit.
    if (item !== null) await this.parts.release(item.id).catch(() => undefined);
  }

  private change(changes: Partial<DeskState>): void {
    this.state = { ...this.state, ...changes };
    for (const listener of this.listeners) listener();
  }
}

/** What is said of an item that somebody else has dealt with. */
const LOST: Readonly<Record<string, string>> = {
  queue_item_already_claimed: 'Another reviewer has claimed this item.',
  queue_item_not_claimed: 'The claim of this item had ended.',
  queue_item_completed: 'Another reviewer has completed this item.',
  queue_item_not_found: 'This item was deleted.',
  datapoint_not_found: 'This item was deleted.',
};
