import type { BoardFigure } from '@spandrel/contract';
import { readAnalyticsSearch, type AnalyticsSearch } from '../analytics/analytics-search.js';

/** The query of a figure of a board, as the page Analytics reads its address. */
export const readFigureQuery = ({ query }: BoardFigure): AnalyticsSearch =>
  readAnalyticsSearch(Object.fromEntries(new URLSearchParams(query)));

/** A query as a figure of a board keeps it. */
export const writeFigureQuery = (search: AnalyticsSearch): string => new URLSearchParams({ ...search }).toString();
