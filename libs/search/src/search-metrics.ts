import { Inject, Injectable } from '@nestjs/common';
import { Counter, type Registry } from '@prometheus-io/client';
import { METRICS, registerSourceGauges } from '@spandrel/kernel';
import { SearchTaskStore } from './search-task.store.js';

/** What an index was not given: the vector alone, or the span. */
export type Missing = 'vector' | 'span';

/** Shows how the search index keeps up with the spans. */
@Injectable()
export class SearchMetrics {
  private readonly refused: Counter<'missing'>;

  constructor(@Inject(METRICS) registry: Registry, tasks: SearchTaskStore) {
    const registers = [registry];
    this.refused = new Counter({
      name: 'spandrel_search_refused_total',
      help: 'Spans whose vector could not be made, or that the search index refused.',
      labelNames: ['missing'] as const,
      registers,
    });
    for (const missing of ['vector', 'span']) this.refused.inc({ missing }, 0);
    registerSourceGauges(registry, () => tasks.count(), [
      {
        name: 'spandrel_search_tasks_waiting',
        help: 'Changes of spans that the search index has yet to hear of, on all instances.',
        samples: (value) => [{ value }],
      },
    ]);
  }

  spanRefused(missing: Missing): void {
    this.refused.inc({ missing });
  }
}
