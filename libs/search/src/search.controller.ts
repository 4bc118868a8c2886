import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { searchAnswerSchema, searchSchema, type Search, type SearchAnswer } from '@spandrel/contract';
import { CurrentReader, CurrentScope, Operation, type Reader, type Scope } from '@spandrel/kernel';
import { SearchSpans } from './search-spans.js';

/** `/api/search` (docs/spec/search.md). */
@Controller('api/search')
export class SearchController {
  constructor(private readonly search: SearchSpans) {}

  @Post()
  @HttpCode(200)
  @Operation({
    id: 'searchSpans',
    access: 'read',
    summary: 'Finished spans, best first, by words, by meaning or by both',
    description: 'Cloud mode with a search index. Spans are found soon after they finish.',
    answer: searchAnswerSchema,
    problems: ['search_not_available'],
  })
  async find(
    @CurrentScope() { projectId }: Scope,
    @Body({ schema: searchSchema }) search: Search,
    @CurrentReader() reader: Reader,
  ): Promise<SearchAnswer> {
    const spans = await this.search.execute(projectId, search, reader);
    return { spans, count: spans.length, next_cursor: null };
  }
}
