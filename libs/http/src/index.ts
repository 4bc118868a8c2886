export { deleted, listOf } from './answers.js';
export { modelCallAddress, modelCallOf, shownPath, type ModelCall, type ModelClient } from './misdirected-request.js';
export { type ThirdPartyProtocol, type MediaDescription, Operation, type OperationDescription } from './operation.js';
export { OPEN_ROUTE, PAGE_ROUTE } from './operation.js';
export { setNotFoundPage } from './not-found-page.js';
export { createHttpApp, type HttpAppParts } from './create-http-app.js';
export { HttpAdapter } from './text-answers.js';
export { ApiModule, type ApiParts } from './api.module.js';
export { Capabilities } from './capabilities/capabilities.controller.js';
export { actingParty } from './audited-routes.js';
export { ClientGone, CurrentReader, type Reader, CurrentScope, scopeOf } from './request-decorators.js';
export { ARRIVAL_LIMITS, type ArrivalLimits } from './intake/arrival.js';
export {
  endWith,
  IntakeRequest,
  opensWebSocket,
  owesAnswer,
  refuseUnread,
  takeRequest,
} from './intake/connection-intake.js';
export { framingFault, namesOneHost } from './intake/request-head.js';
export { endLingering } from './intake/connection-intake.js';
export { InProcessApi, type ApiCall, type CallerApi, type QueryValue } from './in-process/in-process-api.js';
export { bearerOf, type AccessRule, permissionsOfRole, rolesFor } from './operation.js';
export { localRequestFault } from './intake/request-head.js';
export { refuseMalformed, type RefusedBytes } from './intake/malformed-http.js';
export { OpenApi } from './openapi/openapi.controller.js';
export type { OpenApiDocument, OpenApiOperation, OpenApiSchema } from './openapi/schema-components.js';
export { PathId } from './pipes.js';
export { RequestScheduler } from './intake/request-scheduler.js';
export { EventStreamRoute } from './intake/request-watch.js';
export { PROGRESS_MEDIA_TYPE, ProgressAnswer, type AnswerProgress } from './progress-answer.js';
export { BodyStream, StreamsBody, type StreamedBody } from './request-bodies.js';
export { KeepsNumberSources } from './request-bodies.js';
export { streamSlices, itemTexts, type Texts, writtenPage, WrittenJson } from './text-answers.js';
export { CredentialRefusals, WrongCredentials } from './access/wrong-credentials.js';
export {
  CurrentCaller,
  GATEKEEPER,
  type Admission,
  type Caller,
  type Gatekeeper,
  type Proof,
} from './access/caller.js';
export { REFUSAL_CODES, RefusedRequests, type RefusedRequest } from './access/wrong-credentials.js';
export { AccessLog, logMs, type AccessLine } from './access-log.js';
