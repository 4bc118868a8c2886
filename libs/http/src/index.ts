export { modelCallAddress, modelCallOf, shownPath, type ModelCall, type ModelClient } from './addresses/model-call.js';
export type { ThirdPartyProtocol } from './third-party-protocols/third-party-protocol.js';
export { OPEN_ROUTE, PAGE_ROUTE } from './open-route.js';
export { createHttpApp, type HttpAppParts } from './create-http-app.js';
export { HttpAdapter } from './http-adapter.js';
export { ApiModule, type ApiParts } from './api.module.js';
export { Capabilities } from './capabilities/capabilities.js';
export { actingParty } from './audited-routes.js';
export { ClientGone } from './intake/client-gone.js';
export { CurrentReader, type Reader } from './current-reader.js';
export { CurrentScope } from './current-scope.js';
export { ARRIVAL_LIMITS, type ArrivalLimits } from './intake/arrival.js';
export {
  endWith,
  IntakeRequest,
  opensWebSocket,
  owesAnswer,
  refuseUnread,
  takeRequest,
} from './intake/connection-intake.js';
export { framingFault } from './intake/framing.js';
export { namesOneHost } from './intake/host-header.js';
export { endLingering } from './intake/linger.js';
export { InProcessApi, type ApiCall, type CallerApi, type QueryValue } from './in-process/in-process-api.js';
export { bearerOf } from './access/bearer.js';
export { localRequestFault } from './intake/local-request.js';
export { refuseMalformed, type RefusedBytes } from './intake/malformed-http.js';
export { OpenApi } from './openapi/openapi.js';
export type { OpenApiDocument, OpenApiOperation, OpenApiSchema } from './openapi/openapi-document.js';
export type { MediaDescription } from './media-description.js';
export { Operation, type OperationDescription } from './operation.js';
export { PathId } from './path-id.pipe.js';
export { RequestScheduler } from './intake/request-scheduler.js';
export { EventStreamRoute } from './intake/request-watch.js';
export { PROGRESS_MEDIA_TYPE, ProgressAnswer, type AnswerProgress } from './progress-answer.js';
export { BodyStream, StreamsBody, type StreamedBody } from './streamed-body.js';
export { streamSlices } from './stream-slices.js';
export { itemTexts, type Texts } from './text-pieces.js';
export type { AccessRule } from './access/access-rule.js';
export { CredentialRefusals } from './access/credential-refusals.js';
export {
  CurrentCaller,
  GATEKEEPER,
  type Admission,
  type Caller,
  type Gatekeeper,
  type Proof,
} from './access/caller.js';
export { permissionsOfRole, rolesFor } from './access/role-table.js';
export { REFUSAL_CODES, RefusedRequests, type RefusedRequest } from './access/refused-requests.js';
export { AccessLog, logMs, type AccessLine } from './access-log.js';
export { WrongCredentials } from './access/wrong-credentials.js';
export { writtenPage, WrittenJson } from './written-json.js';
