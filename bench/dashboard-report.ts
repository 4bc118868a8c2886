import type { DashboardFigures, PageFigures } from './dashboard-rows.ts';
import type { UseFigures } from './dashboard-use.ts';
import { goal, heading, row } from './report.ts';

/** The dashboard in chromium, against the goals of the design. */
export function reportDashboard(figures: DashboardFigures | undefined): void {
  heading('Dashboard in chromium, on SQLite');
  if (figures === undefined) return row('no chromium on the PATH');
  row('', 'first paint', 'rows', 'shift');
  reportPage('list, new profile', figures.fresh);
  reportPage('list, known profile', figures.known);
  for (const [spans, ms] of Object.entries(figures.traceRows)) row(`trace of ${spans} spans`, '', ms.toFixed(0));
  row('agent graph of 10,000', '', figures.graph.toFixed(0));
  const { requests, outlineBytes, keyP95, frameP95, payload } = figures;
  row('requests', `list ${requests.traces}`, `trace ${requests.trace}`);
  row('outline of 10,000 spans', `${(outlineBytes / 1e6).toFixed(2)} MB`);
  row('list: key or click, p75', `${figures.interactionP75.toFixed(0)} ms`);
  row('key to paint, p95', `${keyP95.toFixed(1)} ms`);
  row('scrolling, p95 of frames', `${frameP95.toFixed(1)} ms`);
  row('payload of 9.5 MB', `${payload.shown.toFixed(0)} ms`, `task ${payload.longestTask.toFixed(0)}`);
  row('scrolling it, p95', `${payload.frameP95.toFixed(1)} ms`);
  goal('list, new profile: first paint ms', figures.fresh.firstPaint, '<=', 300);
  goal('list, new profile: rows ms', figures.fresh.rows, '<=', 800);
  goal('list, known profile: first paint ms', figures.known.firstPaint, '<=', 150);
  goal('list, known profile: rows ms', figures.known.rows, '<=', 400);
  goal('list: layout shift', figures.fresh.shift, '<=', 0.02);
  goal('list: a key or click to its paint p75 ms', figures.interactionP75, '<=', 100);
  for (const [spans, limit] of [
    [10_000, 800],
    [50_000, 2_000],
    [100_000, 3_000],
  ] as const) {
    goal(`trace of ${spans} spans: rows ms`, figures.traceRows[spans], '<=', limit);
  }
  goal('agent graph of 10000 spans: shown ms', figures.graph, '<=', 1_000);
  goal('key to paint p95 ms', keyP95, '<=', 100);
  goal('scrolling a trace: p95 of frames ms', frameP95, '<=', 20);
  goal('payload of 9.5 MB: shown ms', payload.shown, '<=', 1_000);
  goal('payload of 9.5 MB: longest task ms', payload.longestTask, '<=', 200);
  goal('payload of 9.5 MB: p95 of frames ms', payload.frameP95, '<=', 34);
  goal('requests to show a page', Math.max(requests.traces, requests.trace), '<=', 6);
  reportUse(figures.use);
}

function reportPage(name: string, { firstPaint, rows, shift }: PageFigures): void {
  row(name, firstPaint.toFixed(0), rows.toFixed(0), shift.toFixed(4));
}

function reportUse({ visible, busy, requests, review, longList }: UseFigures): void {
  row(
    'row of a new trace',
    `p50 ${visible.p50.toFixed(0)} ms`,
    `p95 ${visible.p95.toFixed(0)}`,
    `in ten tabs ${visible.tenTabsP95.toFixed(0)}`,
  );
  row('2,000 spans/s: main thread busy', `events ${percent(busy.events)}`, `traces ${percent(busy.traces)}`);
  row('requests a second of a page', `idle ${requests.idle.toFixed(1)}`, `live ${requests.live.toFixed(1)}`);
  row('review: to the next item', `p50 ${review.p50.toFixed(0)} ms`, `p95 ${review.p95.toFixed(0)}`);
  row(
    `list of ${longList.spans} spans`,
    `p95 of frames ${longList.frameP95.toFixed(1)} ms`,
    `bare list ${longList.bareP95.toFixed(1)}`,
    `${longList.elements} elements`,
    `${longList.heapMb.toFixed(1)} MB`,
    `after ${longList.seconds} s`,
  );
  goal('row of a new trace p95 ms', visible.p95, '<=', 1_000);
  goal('row of a new trace in ten tabs p95 ms', visible.tenTabsP95, '<=', 1_000);
  goal('2,000 spans/s: page busy', Math.max(busy.events, busy.traces), '<=', 0.2);
  goal('2,000 spans/s: spans lost', busy.lost, '<=', 0);
  goal('requests a second of a page', Math.max(requests.idle, requests.live), '<=', 1);
  goal('review: next item p95 ms', review.p95, '<=', 300);
  goal('list of all spans: p95 of frames to those of a bare list', longList.frameP95 / longList.bareP95, '<=', 1.1);
  goal('list of all spans: elements', longList.elements, '<=', 1_500);
  goal('list of all spans: heap MB', longList.heapMb, '<=', 60);
}

const percent = (part: number): string => `${(part * 100).toFixed(0)}%`;
