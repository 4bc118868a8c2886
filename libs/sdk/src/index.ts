export { createApi, type Api } from './api/client.js';
export type { AnswerOf, ArgumentsOf, ItemOf, ListId, OperationId } from './api/operation-types.js';
export type { ApiOptions, CallOptions, RawOptions } from './api/send.js';
export type { FileBody, Operations } from './api/schema.js';
export type * as resources from './api/schema.js';
export { SpandrelError, type SpandrelErrorCode } from './api/spandrel-error.js';
