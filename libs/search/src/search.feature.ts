import { defineFeature, ofProjects } from '@spandrel/kernel';
import { SearchModule } from './search.module.js';
import { SearchStateSchema, SearchTaskSchema } from './search-task.entity.js';
import { SearchSettings } from './search.settings.js';

export const searchFeature = defineFeature({
  name: 'search',
  tag: { name: 'Search', description: 'Full-text and vector search over spans.' },
  module: SearchModule,
  entities: [SearchTaskSchema, SearchStateSchema],
  owned: ofProjects('search_task', 'search_state'),
  settings: [SearchSettings],
  requires: ['tracing', 'connections'],
});
