import { bearer, joinUrl, objectOf, vectorsOf, withoutVersion, type EmbeddingCalls } from '@spandrel/plugin-api';

/** Embeddings by `/api/embed`. */
export const ollamaEmbeddingCalls = (defaultBaseUrl: string): EmbeddingCalls => ({
  buildRequest: (target, { model, texts }) => ({
    method: 'POST',
    url: joinUrl(withoutVersion(target.baseUrl ?? defaultBaseUrl), '/api/embed'),
    headers: { 'content-type': 'application/json', ...bearer(target.apiKey) },
    body: { model, input: texts },
  }),
  readVectors(body) {
    const { embeddings } = objectOf(body);
    return Array.isArray(embeddings) ? vectorsOf(embeddings) : null;
  },
});
