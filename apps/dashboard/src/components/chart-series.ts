/** A colour of the tokens. */
export type ColourToken = `--${string}`;

/** Values by bucket, `null` where there is none. */
export interface ChartSeries {
  label: string;
  colour: ColourToken;
  values: readonly (number | null)[];
  /** Lines that are distinguished without their colour. */
  dash?: number[];
}

/** Buckets of time and what is drawn of them. */
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
