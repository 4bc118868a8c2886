export type ColourToken = `--${string}`;

/** Values by bucket, `null` where there is none. */
export interface ChartSeries {
  label: string;
  /** The key of a split that it is of. */
  key?: string | null;
  colour: ColourToken;
  values: readonly (number | null)[];
  /** Lines that are distinguished without their colour. */
  dash?: number[];
}

export interface ChartData {
  /** Starts of the buckets in milliseconds, one behind the other. */
  starts: readonly number[];
  widthMs: number;
  /** Bars stand on one another, lines do not. */
  form: 'bars' | 'lines';
  series: readonly ChartSeries[];
}

/** For each series the sum of it and of those before: where its bars end. */
export function stacked(series: readonly ChartSeries[]): number[][] {
  const sums: number[][] = [];
  for (const { values } of series) {
    const below = sums.at(-1);
    sums.push(values.map((value, at) => (value ?? 0) + (below?.[at] ?? 0)));
  }
  return sums;
}

/** The buckets between two moments, first and last. */
export function bucketsBetween({ starts, widthMs }: ChartData, from: number, to: number): [number, number] {
  const at = (moment: number): number => Math.floor((moment - (starts[0] ?? 0)) / widthMs);
  const within = (index: number): number => Math.min(Math.max(index, 0), Math.max(0, starts.length - 1));
  return [within(at(Math.min(from, to))), within(at(Math.max(from, to)))];
}

/** Pixels that a tick takes with the room beside it. */
const TICK_PX = 46;
/** So many buckets lie between two ticks. */
const TICK_STEPS = [1, 2, 3, 5, 6, 10, 12, 15, 24, 30, 60, 120, 240, 720] as const;

/** Middles of the buckets that have a tick: as many as fit, never one between two buckets or upon another. @param width in pixels. */
export function ticksOf({ starts, widthMs }: Pick<ChartData, 'starts' | 'widthMs'>, width: number): number[] {
  const fitting = Math.max(1, Math.ceil((starts.length * TICK_PX) / Math.max(width, TICK_PX)));
  const step = TICK_STEPS.find((one) => one >= fitting) ?? fitting;
  const chosen = starts.filter((start) => Math.floor(start / widthMs) % step === 0);
  const apart = (((starts.at(-1) ?? 0) + widthMs - (starts[0] ?? 0)) * TICK_PX) / Math.max(width, TICK_PX);
  const ticks: number[] = [];
  for (const start of chosen.length > 0 ? chosen : starts.slice(0, 1)) {
    const middle = start + widthMs / 2;
    if (ticks.length === 0 || middle - ticks.at(-1)! >= apart) ticks.push(middle);
  }
  return ticks;
}
