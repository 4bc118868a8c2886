/** What the application of the bench can measure. */
export type SdkMeasure = 'cost' | 'stall' | 'flood';

/** What a flush of the SDK says. */
export interface FlushCounts {
  delivered: number;
  pending: number;
  dropped: number;
  rejected: number;
  lastError: string | null;
}

/** CPU a call in microseconds, a figure a turn. */
export interface CostFigures {
  bare: number[];
  observed: number[];
  disabled: number[];
  /** What a span costs after the call, on its way to the server. */
  delivered: number[];
  /** Spans that did not arrive. */
  lost: number;
}

/** The longest turn of the event loop; the middle of some flushes. */
export interface StallFigures {
  wallMs: number;
  /** CPU of the thread in one turn: what the machine gives to others is not in it. */
  cpuMs: number;
  delivered: number;
}

export interface FloodCommand {
  perSecond: number;
}

export interface FloodFigures {
  recorded: number;
  /** Calls that threw or gave another result, and errors nobody caught. */
  errors: number;
  /** Resident memory at most, in bytes. */
  rssPeak: number;
  flushed: FlushCounts;
}
