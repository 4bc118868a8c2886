import { addDatapoints } from './add-datapoints.js';
import { listDatapoints, listDatasets, listReviews, listRuns } from './evaluation-lists.js';
import { getAnalytics } from './get-analytics.js';
import { getRun } from './get-run.js';
import { getSpan } from './get-span.js';
import { getTrace } from './get-trace.js';
import { listRunItems } from './list-run-items.js';
import { searchSpans } from './search-spans.js';
import type { Tool } from './tool.js';
import { listScores, listSessions, listSpans, listTraces } from './tracing-lists.js';
import { addScore, cancelRun, createDataset, enqueueReviews, exportSpan, startRun } from './write-tools.js';

/** Every tool there is, in the order in which agents see them. */
export const TOOLS: readonly Tool[] = [
  listTraces,
  getTrace,
  listSpans,
  getSpan,
  searchSpans,
  listSessions,
  listScores,
  getAnalytics,
  listDatasets,
  listDatapoints,
  listRuns,
  getRun,
  listRunItems,
  listReviews,
  createDataset,
  addDatapoints,
  exportSpan,
  startRun,
  cancelRun,
  enqueueReviews,
  addScore,
];
