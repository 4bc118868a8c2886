import type { QueueItemResource, Submit } from '@spandrel/contract';
import { SpandrelError } from '@spandrel/sdk/api';
import { useMemo, useState } from 'react';
import { Store } from '../../components/store.js';
import { readOrFault } from '../../features/datapoint/datapoint-json.js';
import { writeData } from './item-content.js';

export interface Submission {
  /** Absent where the item is approved as it is. */
  edited?: { data: unknown };
  isWrittenBack: boolean;
  /** Answers to the form of the item, or why there are none. */
  review?: Pick<Submit, 'scores' | 'comment' | 'skip'>;
}

/** Whether an edit became the datapoint, could not since it has not the form of one, was not to, or is of none. */
export type WriteBack = 'written' | 'refused' | 'not asked' | 'no datapoint';

const WRITE_BACK_WORDS: Readonly<Record<WriteBack, string>> = {
  written: 'Submitted and written back to the datapoint.',
  refused: 'Submitted. The datapoint is unchanged: the edit is not a valid datapoint.',
  'not asked': 'Submitted. The datapoint is unchanged.',
  'no datapoint': 'Submitted with your answer.',
};

interface SessionParts {
  /** Claims the oldest pending item. @returns `null` where no other is pending. */
  next(exclude: readonly string[]): Promise<QueueItemResource | null>;
  read(id: string): Promise<QueueItemResource>;
  claim(id: string): Promise<QueueItemResource>;
  release(id: string): Promise<unknown>;
  /** @returns what became of the datapoint. */
  submit(id: string, submission: Submission): Promise<WriteBack>;
}

/** Something that could not be done, with what does it again. */
interface DeskFault {
  title: string;
  error: Error;
  retry(): void;
}

export interface ReviewState {
  /** The item that is claimed; while the next one is on its way, the one before. */
  item: QueueItemResource | null;
  isBusy: boolean;
  isEmpty: boolean;
  fault: DeskFault | null;
  said: string;
}

const START: ReviewState = { item: null, isBusy: false, isEmpty: false, fault: null, said: '' };

/**
 * The place where one reviewer has one item of a dataset at a time: claims it, hands it in or gives it back, and claims the
 * next. What it holds when the reviewer leaves is released. While one thing is being done it takes no other.
 */
export class ReviewSession extends Store<ReviewState> {
  private isTaken = false;
  /** The item that the server has claimed for this session. */
  private held: QueueItemResource | null = null;

  constructor(
    private readonly parts: SessionParts,
    private readonly memory: ReviewMemory,
  ) {
    super(START);
  }

  /** Somebody sits down: an item is claimed, unless one is here. */
  enter(): void {
    this.isTaken = true;
    if (this.held === null && !this.get().isBusy && !this.get().isEmpty && this.get().fault === null) this.lookAgain();
  }

  /** They leave: what is here is released, or as soon as it has come. */
  leave(): void {
    this.isTaken = false;
    if (!this.get().isBusy) void this.giveUp();
  }

  /** The item that is to be released where the whole page goes; none while something is being done with it. */
  heldWhileLeaving(): string | null {
    return this.get().isBusy ? null : (this.held?.id ?? null);
  }

  submit(submission: Submission): void {
    this.act(async (item) => {
      const writeBack = await this.parts.submit(item.id, submission);
      note(this.memory.submitted, item.id);
      if (submission.review?.skip) return 'Submitted without an answer.';
      return submission.edited === undefined ? 'Approved.' : WRITE_BACK_WORDS[writeBack];
    }, 'The item could not be submitted');
  }

  skip(): void {
    this.giveBack(this.memory.skipped, 'skipped');
  }

  release(): void {
    this.giveBack(this.memory.released, 'released');
  }

  private giveBack(noted: string[], word: 'skipped' | 'released'): void {
    this.act(async (item) => {
      await this.parts.release(item.id);
      note(noted, item.id);
      return word === 'skipped' ? 'Skipped.' : 'Released.';
    }, `The item could not be ${word}`);
  }

  /** Claims an item, where there was none. */
  lookAgain(): void {
    if (!this.get().isBusy) void this.advance('');
  }

  /** Makes skipped items available again, and opens the next one. */
  takeSkipped(): void {
    this.memory.skipped.length = 0;
    this.lookAgain();
  }

  /** Looks whether the item is still claimed: a claim that has ended is made again, after a lost one the next comes. */
  check(): void {
    const item = this.held;
    if (item === null) return;
    this.stillClaimed(item).then(
      (claimed) => {
        if (!this.isAtRest(item)) return;
        if (claimed === null) void this.advance(LOST['queue_item_already_claimed']!);
        else this.held = claimed;
      },
      (error: Error) => {
        if (this.isAtRest(item))
          void this.fail(error, 'The claim of the item could not be checked', () => this.check());
      },
    );
  }

  /** Whether an item is here, and was claimed at another moment than this one says. */
  isClaimedOtherwise({ id, status, claimed_at: at }: Pick<QueueItemResource, 'id' | 'status' | 'claimed_at'>): boolean {
    return this.held?.id === id && !this.get().isBusy && (status !== 'claimed' || at !== this.held.claimed_at);
  }

  /** Whether an item is still as it was here: what the reviewer does meanwhile goes first, and finds out by itself. */
  private isAtRest(item: QueueItemResource): boolean {
    return this.held === item && !this.get().isBusy;
  }

  /** @returns the item as it is now, `null` where somebody else has it: two people may have one name. */
  private async stillClaimed(item: QueueItemResource): Promise<QueueItemResource | null> {
    const now = await this.parts.read(item.id);
    // One that is completed refuses, in words of its own.
    if (now.status !== 'claimed' && this.isAtRest(item)) return this.parts.claim(item.id);
    return now.claimed_by === item.claimed_by && now.claimed_at === item.claimed_at ? now : null;
  }

  /** @param work what is done with the item; it returns what is said of it. */
  private act(work: (item: QueueItemResource) => Promise<string>, title: string): void {
    const item = this.held;
    if (item === null || this.get().isBusy) return;
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
    const words = error instanceof SpandrelError ? LOST[error.code] : undefined;
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

  private change(changes: Partial<ReviewState>): void {
    this.set({ ...this.get(), ...changes });
  }
}

/** What is said of an item that somebody else has dealt with. */
const LOST: Readonly<Record<string, string>> = {
  queue_item_already_reviewed: 'You have another review of the same already.',
  queue_item_not_assigned: 'This item is assigned to others.',
  queue_item_already_claimed: 'Another reviewer has claimed this item.',
  queue_item_not_claimed: 'Your claim of this item has expired.',
  queue_item_completed: 'Another reviewer has completed this item.',
  queue_item_not_found: 'This item was deleted.',
  datapoint_not_found: 'This item was deleted.',
};

/** An edit of an item that is not submitted. */
export interface Draft {
  /** Whether it is a text, and no datapoint as JSON. */
  isText: boolean;
  before: string;
  text: string;
  isOpen: boolean;
  isChanged: boolean;
  /** What the text says; `null` where nothing was edited. */
  read: ReturnType<typeof readOrFault> | null;
  setText(text: string): void;
  setIsOpen(isOpen: boolean): void;
  discard(): void;
}

/** Edits of items by their ids: an item that comes back has its edit still. */
const texts = new Map<string, string>();

/** The edit of an item. @param answer the recorded answer, which is edited as text where the item is no datapoint. */
export function useDraft({ id, original_data: data }: QueueItemResource, answer: string): Draft {
  const isText = data === null;
  const before = useMemo(() => (data === null ? answer : writeData(data)), [data, answer]);
  const [text, setText] = useState(texts.get(id) ?? null);
  const [isOpen, setIsOpen] = useState(false);
  const isChanged = text !== null && text !== before;
  const read = useMemo(
    () => (isOpen || isChanged ? (isText ? { data: text ?? before } : readOrFault(text ?? before)) : null),
    [before, isChanged, isOpen, isText, text],
  );
  return {
    ...{ isText, before, text: text ?? before, isOpen, isChanged, read, setIsOpen },
    setText: (next) => {
      texts.set(id, next);
      setText(next);
    },
    discard: () => {
      texts.delete(id);
      setText(null);
      setIsOpen(false);
    },
  };
}

/** What a reviewer did with a queue in this tab. */
export interface ReviewMemory {
  skipped: string[];
  released: string[];
  submitted: string[];
  /** Who claims here, as the server has it; `null` before the first claim. */
  reviewer: string | null;
}

/** Items that one request may leave out (docs/spec/queue.md#leaving-items-out). */
const EXCLUDED_MAX = 1_000;
const SUBMITTED_MAX = 1_000;

export const newReviewMemory = (): ReviewMemory => ({ skipped: [], released: [], submitted: [], reviewer: null });

/** The items that `next` is to leave out, the newest where they are too many. */
const excludedOf = ({ skipped, released }: ReviewMemory): string[] => [...released, ...skipped].slice(-EXCLUDED_MAX);

/** Notes an item at the end of a list, once. */
export function note(list: string[], id: string): void {
  const at = list.indexOf(id);
  if (at !== -1) list.splice(at, 1);
  list.push(id);
  if (list.length > SUBMITTED_MAX) list.shift();
}
