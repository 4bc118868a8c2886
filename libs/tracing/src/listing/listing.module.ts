import { Module } from '@nestjs/common';
import { PreviewTraces } from '../outline/preview-traces.js';
import { RecordsModule } from '../reading/records.module.js';
import { FacetListStore } from './facet-list.store.js';
import { SessionListStore } from './session-list.store.js';
import { SpanListStore } from './span-list.store.js';
import { TraceListStore } from './trace-list.store.js';
import { WarmLists } from './warm-lists.js';

const LISTS = [SpanListStore, TraceListStore, SessionListStore, FacetListStore, PreviewTraces];

/** Lists, counts and facets. */
@Module({ imports: [RecordsModule], providers: [...LISTS, WarmLists], exports: LISTS })
export class ListingModule {}
