import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import {
  analyticsSummarySchema,
  groupsAnswerSchema,
  groupsQuerySchema,
  statsSchema,
  timeSeriesAnswerSchema,
  timeSeriesSchema,
  type GroupsQuery,
  type TimeSeriesQuery,
} from '@spandrel/contract';
import { CurrentScope, Operation } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { QueryGroups } from './query-groups.js';
import { SummaryStore, summaryOf } from './summary.store.js';
import { TimeSeries } from './time-series.js';

/** `/api/analytics` and `/api/stats` (docs/spec/analytics.md). */
@Controller('api')
export class AnalyticsController {
  constructor(
    private readonly summaries: SummaryStore,
    private readonly series: TimeSeries,
    private readonly groups: QueryGroups,
  ) {}

  @Get('analytics/summary')
  @Operation({
    access: 'read',
    summary: 'Sums over all traces and spans, and by model',
    answer: analyticsSummarySchema,
  })
  async getAnalyticsSummary(@CurrentScope() scope: Scope) {
    const { traceCount, rows } = await this.summaries.all(scope);
    return summaryOf(traceCount, rows);
  }

  @Post('analytics')
  @HttpCode(200)
  @Operation({
    access: 'read',
    summary: 'Sums by minute, hour, day or week of the spans that started in a range',
    description:
      'Buckets begin on UTC boundaries, weeks on Monday, oldest first. `since` is inclusive, `until` exclusive. ' +
      'Buckets without spans come with `fill` only: from `since` to `until`, or the first and last bucket with spans. ' +
      'By minute `since` and `until` are needed, no more than 24 hours apart. `of` says what is counted: spans, LLM calls, or ' +
      'traces, whose latency is from their start to their last end. `split_by` adds the sums of each key in each bucket; by ' +
      'user, session, tag, trace name or a key of the metadata of traces, of a user, and of traces all of the range is read, ' +
      'which `limits.analytics_scan_rows` bounds. `percentiles` adds those of the latency, exact to two in a hundred.',
    answer: timeSeriesAnswerSchema,
    problems: ['range_too_large'],
  })
  async queryAnalytics(@CurrentScope() scope: Scope, @Body({ schema: timeSeriesSchema }) query: TimeSeriesQuery) {
    return this.series.answer(scope, query);
  }

  @Post('analytics/query')
  @HttpCode(200)
  @Operation({
    access: 'read',
    summary: 'Sums of spans by any one or two keys, and by time',
    description:
      'Count, cost, tokens, errors and latency of the spans that match `filters`, by the values of up to two of `group_by`: ' +
      'the `top` groups with most of `order_by`, all others together in `other`, and all in `total`. A span counts once for ' +
      'each tag of its trace. By model, provider and status, with no other filters than these, a range and `kind: llm_call`, ' +
      'sums that are kept answer; otherwise the spans are read, which `limits.analytics_scan_rows` and ' +
      '`limits.analytics_scan_seconds` bound.',
    answer: groupsAnswerSchema,
    problems: ['range_too_large'],
  })
  async queryAnalyticsGroups(@CurrentScope() scope: Scope, @Body({ schema: groupsQuerySchema }) question: GroupsQuery) {
    return this.groups.answer(scope, question);
  }

  @Get('stats')
  @Operation({ access: 'read', summary: 'Numbers of traces and spans', answer: statsSchema })
  async getStats(@CurrentScope() scope: Scope) {
    const { traceCount, rows } = await this.summaries.all(scope);
    return { trace_count: traceCount, span_count: rows.reduce((sum, { spanCount }) => sum + spanCount, 0) };
  }
}
