import { readFileSync } from 'node:fs';
import { defineSearchIndex } from '@spandrel/plugin-api';
import { z } from 'zod';
import { QdrantClient } from './qdrant-client.js';
import { QdrantIndex } from './qdrant-index.js';

const configSchema = z.strictObject({
  /** `http://host:6333` */
  url: z.url({ protocol: /^https?$/ }),
  /** Default: what QDRANT_API_KEY says; none where that is not set either. */
  api_key: z.string().min(1).optional(),
  /** A file that holds the key. */
  api_key_file: z.string().min(1).optional(),
  /** Made when it is not there. */
  collection: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,200}$/, 'must be letters, digits, "_" and "-"')
    .default('spandrel'),
  /** Numbers of a vector: what the embedding model makes. */
  dimensions: z.number().int().min(1).max(65_536).default(1_536),
  /** Seconds after which a request is given up. */
  timeout: z.number().min(0.1).max(60).default(10),
});

/** Full-text and vector search in Qdrant, 1.11 or later, over its HTTP API. See README.md. */
export default defineSearchIndex({
  name: 'qdrant',
  config: configSchema,
  setup(_deps, { url, api_key: apiKey, api_key_file: file, collection, dimensions, timeout }) {
    const key = apiKey ?? (file === undefined ? process.env['QDRANT_API_KEY'] : readFileSync(file, 'utf8').trim());
    const client = new QdrantClient({ url, apiKey: key || undefined, timeoutMs: timeout * 1_000 });
    return new QdrantIndex(client, { collection, dimensions });
  },
});
