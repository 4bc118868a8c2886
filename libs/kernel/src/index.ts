export { backoff, systemClock, type Clock, pauseUnlessStopped, withinMs } from './time.js';
export { CoreSettings, type PluginEntry } from './config/core-settings.js';
export { defineSettings, type SettingsPart } from './config/setting.js';
export { loadSettings, type SettingsInput } from './config/settings.js';
export { settingName } from './config/setting.js';
export { Settings } from './config/settings.js';
export { Conflict, DomainError, Invalid, NotFound, Unavailable, WrongCredential, StartError } from './errors.js';
export { useFaultWords } from './faults/invalid-request.js';
export { FAULTS_MAX, invalidRequest, unknownName, schemaFaults } from './faults/invalid-request.js';
export { knownMembers, NO_MEMBERS, objectOf, type KnownMembers } from './faults/invalid-request.js';
export { defineFeature, type Feature, ofProjects, type OwnedTable, selectFeatures } from './features.js';
export { closeDirectory, closeFiles, PRIVATE_DIRECTORY, PRIVATE_FILE } from './files/use-directory.js';
export { makeDirectory } from './files/use-directory.js';
export { newFileFault, PathFault, pathFault } from './files/path-fault.js';
export { useDirectory } from './files/use-directory.js';
export { newId } from './ids.js';
export { KernelModule, type KernelParts } from './kernel.module.js';
export { Lifecycle } from './lifecycle/run-app.js';
export { Readiness } from './lifecycle/readiness.js';
export { backgroundScheduler, BackgroundTasks, PeriodicTask } from './lifecycle/periodic-task.js';
export { runApp, type AppContext, listenFault } from './lifecycle/run-app.js';
export { type AppReady, ProgramStatus } from './lifecycle/program-status.js';
export { LifeLog, lifeLevel, OutageLog } from './log/life-log.js';
export type { LineSink } from './log/log-destination.js';
export { logLines, createLogger, LOGGER, type Logger } from './log/logger.js';
export {
  METRICS,
  metricsText,
  programMetrics,
  registerSourceGauges,
  type GaugeSample,
  type SourceGauge,
} from './metrics.js';
export { nearestName } from './nearest-name.js';
export { ClientAddresses } from './net/addresses.js';
export { hostList, type HostList } from './net/addresses.js';
export { isPrivateHost, isPublicAddress, publicLookup, type Resolver } from './net/addresses.js';
export { codeFile, PACKAGE } from './package-root.js';
export { loadPlugins } from './plugins/load-plugins.js';
export {
  PLUGINS,
  type LoadedMasker,
  type LoadedScorer,
  type Named,
  type PluginRegistry,
} from './plugins/plugin-registry.js';
export { dropRedisClient, makeRedisClient, type RedisClient } from './redis-client.js';
export {
  CALLER_DIRECTORY,
  type CallerDirectory,
  PROJECT_DIRECTORY,
  type ProjectDirectory,
  MASKING_SEALER,
  type SealedText,
  type Sealer,
  RETENTION_POLICY,
  type RetentionPolicy,
  type RetentionTerm,
} from './features.js';
export {
  commandContext,
  currentContext,
  inContext,
  SERVICE_CONTEXT,
  type ActingParty,
  type RequestContext,
  LOCAL_SCOPE,
  projectScope,
  type Scope,
} from './request-context.js';
export { Rotation } from './threads/task-pool.js';
export {
  TaskFailure,
  type TaskFailureReason,
  TaskPool,
  type TaskOptions,
  type TaskPoolOptions,
} from './threads/task-pool.js';
export { openSealed, sealBytes } from './seal-bytes.js';
export { ShortMemory } from './short-memory.js';
export { atOnce, inTurns, letOthersRun, Turn } from './time.js';
