import { ExportFault } from './export-fault.js';

/** Memory that an item takes once it is read, about, and how many are told at a time. */
const ITEM_BYTES = 96;
const ITEMS_TOLD = 1_024;

/** Wrappers and unknown fields that an export may have however few items it may hold. */
const OTHERS_MIN = 1_000;

/**
 * Counts what an export holds: spans, attributes, events, links and elements of lists together. An export of few bytes
 * can hold millions of empty ones.
 */
export class ItemBudget {
  private left: number;
  private othersLeft: number;

  /**
   * @param max setting `otlp.items_max`.
   * @param hold hears of the memory that items take, in bytes, before they take it; what it throws ends the reading.
   */
  constructor(
    private readonly max: number,
    private readonly hold: (bytes: number) => void = () => undefined,
  ) {
    this.left = max;
    this.othersLeft = 2 * max + OTHERS_MIN;
  }

  /** @throws ExportFault `too_large` when there are more than allowed. */
  take(): void {
    if (--this.left < 0) throw this.tooMany();
    if (this.left % ITEMS_TOLD === 0) this.hold(ITEMS_TOLD * ITEM_BYTES);
  }

  /**
   * Counts what is passed over or only wraps items: empty wrappers cost time too.
   * @throws ExportFault `too_large` when there are far more than an export of so many items has.
   */
  takeOther(): void {
    if (--this.othersLeft < 0) throw this.tooMany();
  }

  /**
   * Looks at a JSON text before it becomes objects, which take many times its memory.
   * @param containers how many objects and lists it has; an item is written as four of them at most.
   * @throws ExportFault `too_large` when those cannot be items that are still allowed.
   */
  assertRoomFor(containers: number): void {
    if (containers > 4 * (this.left + this.othersLeft)) throw this.tooMany();
  }

  private tooMany(): ExportFault {
    return new ExportFault(
      'too_large',
      `an export may hold at most ${this.max} spans, attributes, events, links and elements together (otlp.items_max); send it in parts`,
    );
  }
}
