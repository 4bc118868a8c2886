import type { OpenApiDocument } from '@spandrel/http';
import type { Api } from '../support/api.ts';

/** A server that describes itself. */
export interface Described {
  url: string;
  /** May write in a project. */
  api: Api;
  document: OpenApiDocument;
  /** Every route that it takes, as `GET /api/traces/:id`. */
  routes: ReadonlySet<string>;
  close(): Promise<void>;
}
