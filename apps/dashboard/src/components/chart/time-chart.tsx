import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { readColours, usePalette } from '../canvas/use-canvas.js';
import type { Zone } from '../format/format-time.js';
import { chartOptions } from './chart-options.js';
import { bucketsBetween, stacked, type ChartData } from './chart-series.js';
import styles from './time-chart.module.css';

export interface TimeChartProps {
  data: ChartData;
  zone: Zone;
  /** Writes a value on the axis. */
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
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    const element = place.current!;
    const colours = readColours(element, [...data.series.map(({ colour }) => colour), '--text-2', '--line']);
    const options = chartOptions({ data, zone, format, isWhole, colours, width: element.clientWidth });
    const drawn = new UPlot(
      {
        ...options,
        hooks: {
          setCursor: [({ cursor: { idx } }) => typeof idx === 'number' && latest.current.onCursor(idx)],
          setSelect: [(u) => zoom(u, latest.current)],
        },
      },
      valuesOf(data),
      element,
    );
    chart.current = drawn;
    const open = (): void => {
      const { idx } = drawn.cursor;
      if (typeof idx === 'number') latest.current.onOpen(idx);
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

/** Tells of the buckets that were marked by dragging. */
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
