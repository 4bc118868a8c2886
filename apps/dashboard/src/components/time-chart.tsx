import { useEffect, useEffectEvent, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { readColours, usePalette } from './use-canvas.js';
import { formatTime, type Zone } from './format.js';
import { bucketsBetween, stacked, ticksOf, type ChartData } from './chart-series.js';
import styles from './time-chart.module.css';

export interface TimeChartProps {
  data: ChartData;
  zone: Zone;
  format(value: number): string;
  /** Whether values are whole numbers, between which the axis has nothing to say. */
  isWhole: boolean;
  /** The bucket of the cursor. */
  cursor: number | null;
  onCursor(bucket: number): void;
  /** Buckets that are marked, first and last. */
  mark: readonly [number, number] | null;
  onOpen(bucket: number): void;
  onZoom(first: number, last: number): void;
}

/** Bars or lines over time on a canvas, in colours of the tokens. It says nothing to a screen reader: its figure does. */
export function TimeChart(props: TimeChartProps) {
  const { data, zone, format, isWhole, cursor, mark } = props;
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<UPlot | null>(null);
  const palette = usePalette();
  const onCursor = useEffectEvent(props.onCursor);
  const onOpen = useEffectEvent(props.onOpen);
  const onSelect = useEffectEvent((u: UPlot) => zoom(u, props));
  useEffect(() => {
    const element = place.current!;
    const colours = readColours(element, [...data.series.map(({ colour }) => colour), '--text-2', '--line']);
    const options = chartOptions({ data, zone, format, isWhole, colours, width: element.clientWidth });
    const drawn = new UPlot(
      {
        ...options,
        hooks: {
          setCursor: [({ cursor: { idx } }) => typeof idx === 'number' && onCursor(idx)],
          setSelect: [(u) => onSelect(u)],
        },
      },
      valuesOf(data),
      element,
    );
    chart.current = drawn;
    const open = (): void => {
      const { idx } = drawn.cursor;
      if (typeof idx === 'number') onOpen(idx);
    };
    drawn.over.addEventListener('click', open);
    const resizes = new ResizeObserver(() => {
      drawn.setSize({ width: element.clientWidth, height: options.height });
    });
    resizes.observe(element);
    return () => {
      resizes.disconnect();
      drawn.destroy();
    };
  }, [data, zone, format, isWhole, palette]);
  useEffect(() => {
    const drawn = chart.current;
    const at = cursor === null ? undefined : drawn?.data[0][cursor];
    if (drawn && at !== undefined) drawn.setCursor({ left: drawn.valToPos(at, 'x'), top: 0 }, false);
  }, [cursor, data, zone, palette]);
  useEffect(() => showMark(chart.current, data, mark), [mark, data]);
  return <div ref={place} className={styles.place} />;
}

/** Times are those of the middle of buckets; stacks are drawn from the highest to the lowest. */
function valuesOf({ starts, widthMs, form, series }: ChartData): UPlot.AlignedData {
  const middles = starts.map((start) => start + widthMs / 2);
  return [
    middles,
    ...(form === 'bars' ? stacked(series).toReversed() : series.map(({ values }) => [...values])),
  ] as UPlot.AlignedData;
}

function zoom(drawn: UPlot, { data, onZoom }: TimeChartProps): void {
  const { left, width } = drawn.select;
  if (width <= 0) return;
  drawn.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  const [first, last] = bucketsBetween(data, drawn.posToVal(left, 'x'), drawn.posToVal(left + width, 'x'));
  onZoom(first, last);
}

function showMark(drawn: UPlot | null, { starts, widthMs }: ChartData, mark: TimeChartProps['mark']): void {
  if (drawn === null) return;
  const left = mark === null ? 0 : drawn.valToPos(starts[mark[0]]!, 'x');
  const right = mark === null ? 0 : drawn.valToPos(starts[mark[1]]! + widthMs, 'x');
  drawn.setSelect({ left, top: 0, width: right - left, height: drawn.over.clientHeight }, false);
}

const HEIGHT = 128;
const DAY_MS = 86_400_000;
const FONT = '11px system-ui, sans-serif';
const AXIS_WIDTH = 62;
const SPACE = { y: 28 };
/** Lines of so many buckets at most have a point for each, so that one between gaps can be seen. */
const POINTS_MAX = 120;
const BAR = { share: 0.86, widest: 48 };
const WHOLE_STEPS = Array.from({ length: 16 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();

export interface ChartLook {
  data: ChartData;
  zone: Zone;
  format(value: number): string;
  isWhole: boolean;
  /** By token. */
  colours: Readonly<Record<string, string>>;
  width: number;
}

/** How uPlot draws a chart. */
export function chartOptions({ data, zone, format, isWhole, colours, width }: ChartLook): UPlot.Options {
  const { starts, widthMs, form, series } = data;
  const from = starts[0] ?? 0;
  const until = (starts.at(-1) ?? 0) + widthMs;
  const axis = { stroke: colours['--text-2']!, font: FONT, ticks: { show: false } };
  const drawn = series.map((one) => seriesOptions(one, form, colours[one.colour]!, starts.length));
  return {
    width,
    height: HEIGHT,
    ms: 1,
    ...(zone === 'utc' && { tzDate: (at: number) => UPlot.tzDate(new Date(at), 'Etc/UTC') }),
    legend: { show: false },
    padding: [8, 18, 0, 0],
    scales: {
      x: { time: true, range: [from, until] },
      y: { range: (_u, least, most) => [Math.min(0, least * 1.05), most > 0 ? most * 1.05 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 24,
        splits: (u) => ticksOf(data, u.over.clientWidth || width),
        values: (_u, splits) => splits.map((middle) => formatTick(middle - widthMs / 2, zone, widthMs)),
      },
      {
        ...axis,
        grid: { stroke: colours['--line']!, width: 1 },
        space: SPACE.y,
        size: AXIS_WIDTH,
        values: (_u, splits) => splits.map(format),
        ...(isWhole && { incrs: WHOLE_STEPS }),
      },
    ],
    series: [{}, ...(form === 'bars' ? drawn.toReversed() : drawn)],
    cursor: {
      x: true,
      y: false,
      points: { show: form === 'lines' },
      drag: { x: true, y: false, setScale: false },
      bind: { dblclick: () => null },
    },
  };
}

function seriesOptions(
  { dash }: ChartData['series'][number],
  form: ChartData['form'],
  colour: string,
  length: number,
): UPlot.Series {
  if (form === 'bars') {
    const paths = UPlot.paths.bars!({ size: [BAR.share, BAR.widest] });
    return { fill: colour, width: 0, paths, points: { show: false } };
  }
  return {
    stroke: colour,
    width: 1.5,
    ...(dash && { dash }),
    points: { show: length <= POINTS_MAX, size: 4, fill: colour },
  };
}

/** The day of a bucket of days or more, which is one of UTC, and at midnight; else the time. */
function formatTick(at: number, zone: Zone, widthMs: number): string {
  const text = formatTime(at, widthMs >= DAY_MS ? 'utc' : zone);
  const time = text.slice(11, 16);
  return widthMs >= DAY_MS || time === '00:00' ? text.slice(5, 10) : time;
}
