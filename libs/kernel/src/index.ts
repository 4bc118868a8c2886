export { modelCallAddress, modelCallOf, shownPath, type ModelCall, type ModelClient } from './addresses/model-call.js';
export { backoff } from './backoff.js';
export { systemClock, type Clock } from './clock.js';
export { CoreSettings } from './config/core-settings.js';
export { defineSettings, type SettingsPart } from './config/define-settings.js';
export { loadSettings, type SettingsInput } from './config/load-settings.js';
export type { PluginEntry } from './config/plugin-entries.js';
export { settingName } from './config/setting.js';
export { Settings } from './config/settings.js';
export { Conflict, DomainError, Invalid, NotFound, Unavailable, WrongCredential } from './errors/domain-error.js';
export { StartError } from './errors/start-error.js';
export { invalidRequest } from './faults/invalid-request.js';
export { schemaFaults } from './faults/schema-faults.js';
export { defineFeature, type Feature } from './features/feature.js';
export { ofProjects, type OwnedTable } from './features/owned-table.js';
export { selectFeatures } from './features/select-features.js';
export { closeDirectory, closeFiles, PRIVATE_DIRECTORY, PRIVATE_FILE } from './files/close-to-others.js';
export { makeDirectory } from './files/make-directory.js';
export { newFileFault, PathFault, pathFault } from './files/path-fault.js';
export { useDirectory } from './files/use-directory.js';
export type { ForeignProtocol } from './http/foreign/foreign-protocol.js';
export { OPEN_ROUTE, PAGE_ROUTE } from './http/open-route.js';
export { createHttpApp, type HttpAppParts } from './http/create-http-app.js';
export { HttpAdapter } from './http/http-adapter.js';
export { KernelModule } from './http/kernel.module.js';
export { Capabilities } from './http/capabilities/capabilities.js';
export { actingParty } from './http/audited-routes.js';
export { ClientGone } from './http/intake/client-gone.js';
export { CurrentReader, type Reader } from './http/current-reader.js';
export { CurrentScope } from './http/current-scope.js';
export { ARRIVAL_LIMITS, type ArrivalLimits } from './http/intake/arrival.js';
export {
  endWith,
  IntakeRequest,
  opensWebSocket,
  owesAnswer,
  refuseUnread,
  takeRequest,
} from './http/intake/connection-intake.js';
export { framingFault } from './http/intake/framing.js';
export { namesOneHost } from './http/intake/host-header.js';
export { endLingering } from './http/intake/linger.js';
export { InProcessApi, type ApiCall, type CallerApi, type QueryValue } from './http/in-process/in-process-api.js';
export { bearerOf } from './http/access/bearer.js';
export { localRequestFault } from './http/intake/local-request.js';
export { refuseMalformed, type RefusedBytes } from './http/intake/malformed-http.js';
export { OpenApi } from './http/openapi/openapi.js';
export type { OpenApiDocument, OpenApiOperation, OpenApiSchema } from './http/openapi/openapi-document.js';
export type { MediaDescription } from './http/media-description.js';
export { Operation, type OperationDescription } from './http/operation.js';
export { PathId } from './http/path-id.pipe.js';
export { Readiness } from './http/readiness.js';
export { RequestTurns } from './http/intake/request-turns.js';
export { EventStreamRoute } from './http/intake/request-watch.js';
export { PROGRESS_MEDIA_TYPE, ProgressAnswer, type AnswerProgress } from './http/progress-answer.js';
export { BodyStream, StreamsBody, type StreamedBody } from './http/streamed-body.js';
export { streamSlices } from './http/stream-slices.js';
export { itemTexts, type Texts } from './http/text-pieces.js';
export type { AccessRule } from './http/access/access-rule.js';
export { CredentialRefusals } from './http/access/credential-refusals.js';
export {
  CurrentCaller,
  GATEKEEPER,
  type Admission,
  type Caller,
  type Gatekeeper,
  type Proof,
} from './http/access/caller.js';
export { permissionsOfRole, rolesFor } from './http/access/role-table.js';
export { REFUSAL_CODES, RefusedRequests, type RefusedRequest } from './http/access/refused-requests.js';
export { newId } from './ids.js';
export { Lifecycle } from './lifecycle/lifecycle.js';
export { PeriodicTask } from './lifecycle/periodic-task.js';
export { runApp, type AppContext } from './lifecycle/run-app.js';
export type { AppReady } from './lifecycle/app-messages.js';
export { AccessLog, logMs, type AccessLine } from './log/access-log.js';
export { listenFault } from './lifecycle/listen-fault.js';
export { Told } from './lifecycle/told.js';
export { LifeLog, lifeLevel } from './log/life-log.js';
export { logLines } from './log/log-lines.js';
export { createLogger, LOGGER, type Logger } from './log/logger.js';
export { METRICS, metricsText, programMetrics } from './metrics.js';
export { nearestName } from './nearest-name.js';
export { ClientAddresses } from './net/client-address.js';
export { WrongCredentials } from './net/wrong-credentials.js';
export { hostList, type HostList } from './net/host-list.js';
export { isPrivateHost, isPublicAddress, publicLookup, type Resolver } from './net/public-address.js';
export { codeFile, PACKAGE } from './package-root.js';
export { loadPlugins } from './plugins/load-plugins.js';
export {
  PLUGINS,
  type LoadedMasker,
  type LoadedScorer,
  type Named,
  type PluginRegistry,
} from './plugins/plugin-registry.js';
export { OutageLog } from './redis/outage-log.js';
export { dropRedisClient, makeRedisClient, type RedisClient } from './redis/redis-client.js';
export { PROJECT_DIRECTORY, type ProjectDirectory } from './project-directory.js';
export { MASKING_SEALER, type SealedText, type Sealer } from './sealer.js';
export { RETENTION_POLICY, type RetentionPolicy, type RetentionTerm } from './retention.js';
export {
  commandContext,
  currentContext,
  inContext,
  SERVICE_CONTEXT,
  type ActingParty,
  type RequestContext,
} from './request-context.js';
export { registerSourceGauges, type GaugeSample, type SourceGauge } from './source-gauges.js';
export { LOCAL_SCOPE, projectScope, type Scope } from './scope.js';
export { Rotation } from './threads/rotation.js';
export { TaskFailure, type TaskFailureReason } from './threads/task-failure.js';
export { TaskPool, type TaskOptions, type TaskPoolOptions } from './threads/task-pool.js';
export { pauseUnlessStopped, withinMs } from './time-limit.js';
export { inTurns, Turn } from './turn.js';
export { writtenPage, WrittenJson } from './http/written-json.js';
