export { mayPass } from './answers.js';
export { apiBase } from './http.js';
export { createClient, readError, withQuery } from './operation-calls.js';
export type { ListId } from './operation-types.js';
export { LISTS } from './operations.generated.js';
export { SpandrelError } from './spandrel-error.js';
