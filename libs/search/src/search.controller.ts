import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { searchInViewSchema, searchSchema, type Search } from '@spandrel/contract';
import { CurrentScope, Operation, writtenPage } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { SearchSpans } from './search-spans.js';

/** `/api/search` (docs/spec/search.md). */
@Controller('api/search')
export class SearchController {
  constructor(private readonly search: SearchSpans) {}

  @Post()
  @HttpCode(200)
  @Operation({
    access: 'read',
    summary: 'Finished spans, best first, by words, by meaning or by both',
    description: 'Cloud mode with a search index. Spans are found soon after they finish.',
    answer: searchInViewSchema,
    problems: ['search_not_available'],
  })
  async searchSpans(@CurrentScope() scope: Scope, @Body({ schema: searchSchema }) search: Search) {
    if (search.view === 'outline') {
      const outlines = await this.search.findOutlines(scope, search);
      return { spans: outlines, count: outlines.length, next_cursor: null };
    }
    const spans = await this.search.find(scope, search);
    return writtenPage('spans', spans, null);
  }
}
