import type { DashboardFigures, PageFigures } from './dashboard-rows.ts';
import { goal, heading, row } from './report.ts';

/** The dashboard in chromium, against the goals of the design. */
export function reportDashboard(figures: DashboardFigures | undefined): void {
  heading('Dashboard in chromium, on SQLite');
  if (figures === undefined) return row('no chromium on the PATH');
  row('', 'first paint', 'rows', 'shift');
  reportPage('list, new profile', figures.fresh);
  reportPage('list, known profile', figures.known);
  for (const [spans, ms] of Object.entries(figures.traceRows)) row(`trace of ${spans} spans`, '', ms.toFixed(0));
  const { requests, outlineBytes, keyP95, frameP95, payload } = figures;
  row('requests', `list ${requests.traces}`, `trace ${requests.trace}`);
  row('outline of 10,000 spans', `${(outlineBytes / 1e6).toFixed(2)} MB`);
  row('key to paint, p95', `${keyP95.toFixed(1)} ms`);
  row('scrolling, p95 of frames', `${frameP95.toFixed(1)} ms`);
  row('payload of 9.5 MB', `${payload.shown.toFixed(0)} ms`, `task ${payload.longestTask.toFixed(0)}`);
  row('scrolling it, p95', `${payload.frameP95.toFixed(1)} ms`);
  goal('list, new profile: first paint ms', figures.fresh.firstPaint, '<=', 300);
  goal('list, new profile: rows ms', figures.fresh.rows, '<=', 800);
  goal('list, known profile: first paint ms', figures.known.firstPaint, '<=', 150);
  goal('list, known profile: rows ms', figures.known.rows, '<=', 400);
  goal('list: layout shift', figures.fresh.shift, '<=', 0.02);
  for (const [spans, limit] of [
    [10_000, 800],
    [50_000, 2_000],
    [100_000, 3_000],
  ] as const) {
    goal(`trace of ${spans} spans: rows ms`, figures.traceRows[spans], '<=', limit);
  }
  goal('key to paint p95 ms', keyP95, '<=', 100);
  goal('scrolling a trace: p95 of frames ms', frameP95, '<=', 20);
  goal('payload of 9.5 MB: shown ms', payload.shown, '<=', 1_000);
  goal('payload of 9.5 MB: longest task ms', payload.longestTask, '<=', 200);
  goal('payload of 9.5 MB: p95 of frames ms', payload.frameP95, '<=', 34);
  goal('requests to show a page', Math.max(requests.traces, requests.trace), '<=', 6);
}

function reportPage(name: string, { firstPaint, rows, shift }: PageFigures): void {
  row(name, firstPaint.toFixed(0), rows.toFixed(0), shift.toFixed(4));
}
