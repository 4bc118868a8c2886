import UPlot from 'uplot';
import { formatTime, type Zone } from '../format/format-time.js';
import type { ChartData } from './chart-series.js';

const HEIGHT = 128;
const DAY_MS = 86_400_000;
const FONT = '11px system-ui, sans-serif';
const AXIS_WIDTH = 62;
/** Pixels between two texts of an axis. */
const SPACE = { x: 64, y: 28 };
/** Lines of so many buckets at most have a point for each, so that one between gaps can be seen. */
const POINTS_MAX = 120;
const BAR = { share: 0.86, widest: 48 };
/** Steps of an axis of whole numbers. */
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
    padding: [8, 8, 0, 0],
    scales: {
      x: { time: true, range: [from, until] },
      y: { range: (_u, _least, most) => [0, most > 0 ? most * 1.05 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: SPACE.x,
        size: 24,
        values: (_u, splits, _axis, _space, step) => splits.map((at) => formatTick(at, zone, step)),
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

/** A day where the axis counts days, or at midnight; else the time. */
function formatTick(at: number, zone: Zone, step: number): string {
  const text = formatTime(at, zone);
  const time = text.slice(11, 16);
  return step >= DAY_MS || time === '00:00' ? text.slice(5, 10) : time;
}
