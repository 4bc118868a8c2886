import { keptInTab } from '../../features/kept-in-tab.js';
import { newReviewMemory, type ReviewMemory } from './review-memory.js';

const memories = new Map<string, ReviewMemory>();
const kept = keptInTab<{ reviews: [string, ReviewMemory][] }>('spandrel.review', () => ({ reviews: [...memories] }));
for (const [datasetId, memory] of Array.isArray(kept?.reviews) ? kept.reviews : []) memories.set(datasetId, memory);

/** What was done in a dataset; it is kept over a reload of the tab, and changed by whoever has it. */
export function reviewMemoryOf(datasetId: string): ReviewMemory {
  const known = memories.get(datasetId) ?? newReviewMemory();
  memories.set(datasetId, known);
  return known;
}
