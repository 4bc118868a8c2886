import { defineSettings, setting } from '@spandrel/kernel/launch';
import { z } from 'zod';

/** What users set about search over spans. */
export class SearchSettings extends defineSettings(
  {
    /** Name of the search index plugin; `null`: there is no search. */
    index: setting('search.index', z.string().min(1).nullable(), {
      default: null,
      doc: 'The search index plugin, which must be listed in plugins: too (pgvector or qdrant); null: no search.',
      source: { variable: 'SPANDREL_SEARCH_INDEX' },
    }),
    /** Name of the provider connection that a project has for vectors; one without has text search alone. */
    embeddingConnection: setting('search.embedding.connection', z.string().min(1), {
      default: 'embeddings',
      doc: 'The provider connection of this name in each project; a project without one has text search alone.',
    }),
    /** `null`: the connection's default model. */
    embeddingModel: setting('search.embedding.model', z.string().min(1).nullable(), {
      default: null,
      doc: "The model; null: the connection's default model.",
    }),
  },
  {
    search: 'Cloud mode: full-text and vector search over spans.',
    'search.embedding': 'What makes the vectors.',
  },
) {}
