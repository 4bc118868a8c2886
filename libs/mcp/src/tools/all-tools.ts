import { listDatapoints, listDatasets, listReviews, listRunItems, listRuns } from './evaluation-lists.js';
import { getAnalytics } from './get-analytics.js';
import { getRun } from './get-run.js';
import { getSpan } from './get-span.js';
import { getTrace } from './get-trace.js';
import type { Tool } from './tool.js';
import { listScores, listSessions, listSpans, listTraces, searchSpans } from './tracing-lists.js';
import {
  addDatapoints,
  addScore,
  cancelRun,
  createDataset,
  enqueueReviews,
  exportSpan,
  startRun,
} from './write-tools.js';

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
