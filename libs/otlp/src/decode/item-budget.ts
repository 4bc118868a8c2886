/**
 * Attributes at any depth, events and links that are kept of one span. SDKs keep 128 of each; stored as one piece, a
 * million would hold up everybody for half a minute.
 */
export const NAMED_MAX = 20_000;

type Named = 'attributes' | 'events' | 'links';

/** Wrappers and unknown fields that an export may have however few items it may hold. */
const OTHERS_MIN = 1_000;

const NONE_PASSED: Readonly<Record<Named, number>> = Object.freeze({ attributes: 0, events: 0, links: 0 });

/**
 * Counts what an export holds: spans, attributes, events, links and elements of lists together. An export of few bytes
 * can hold millions of empty ones.
 */
export class ItemBudget {
  private left: number;
  private othersLeft: number;
  private namedLeft = NAMED_MAX;
  private ownLeft: number;
  private passed = NONE_PASSED;

  /**
   * @param max setting `otlp.items_max`.
   * @param ownMax attributes, events, links and elements of one span, log record or resource (setting `limits.body_values`).
   */
  constructor(
    private readonly max: number,
    private readonly ownMax = Infinity,
  ) {
    this.left = max;
    this.ownLeft = ownMax;
    this.othersLeft = 2 * max + OTHERS_MIN;
  }

  /** @throws ExportFault `too_large` when there are more than allowed. */
  take(): void {
    if (--this.left < 0) throw this.tooMany();
    if (--this.ownLeft < 0) throw this.tooManyOfOne();
  }

  /** Begins a span, a log record or a resource, whose attributes, events and links are counted from here on. */
  begin(): void {
    this.namedLeft = NAMED_MAX;
    this.ownLeft = this.ownMax;
    this.passed = NONE_PASSED;
  }

  /**
   * Counts an attribute, an event or a link.
   * @returns whether it is kept: there may be too many of one span, which {@link passedOver} says.
   * @throws ExportFault `too_large` as {@link take} does.
   */
  takeNamed(named: Named): boolean {
    this.take();
    if (--this.namedLeft >= 0) return true;
    this.passed = { ...this.passed, [named]: this.passed[named] + 1 };
    return false;
  }

  /** How many of what {@link begin} began were not kept. */
  get passedOver(): Readonly<Record<Named, number>> {
    return this.passed;
  }

  /** Counts what is passed over or only wraps items: empty wrappers cost time too. @throws ExportFault `too_large` */
  takeOther(): void {
    if (--this.othersLeft < 0) throw this.tooMany();
  }

  /** Lists, objects and commas that JSON of so many items has: an attribute has four; a span, of some hundred characters, more. */
  get valuesMax(): number {
    return 4 * this.max + OTHERS_MIN;
  }

  private tooManyOfOne(): ExportFault {
    return new ExportFault(
      'too_large',
      `a span, log record or resource has more than ${this.ownMax} attributes, events, links and elements together (limits.body_values)`,
    );
  }

  /** The fault of an export that holds too much. */
  tooMany(): ExportFault {
    return new ExportFault(
      'too_large',
      `an export may hold at most ${this.max} spans, attributes, events, links and elements together (otlp.items_max); send it in parts`,
    );
  }
}

/** An export that cannot be read at all, as opposed to single spans of it that cannot be kept. */
export class ExportFault extends Error {
  /** @param kind `malformed`: answered with 400; `too_large`: with 413. */
  constructor(
    readonly kind: 'malformed' | 'too_large',
    message: string,
  ) {
    super(message);
  }
}

/** How deep lists and maps of an attribute may stand within each other. */
export const VALUE_DEPTH_MAX = 64;
