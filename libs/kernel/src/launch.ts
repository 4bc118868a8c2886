/** The part of the kernel that starts programs. It loads no framework. */
export { type PluginEntry, CoreSettings } from './config/core-settings.js';
export { defineSettings, setting, type SettingSource, type SettingsPart } from './config/setting.js';
export { knownVariables, readSecretFile } from './config/config-sources.js';
export { loadSettings, settingsHelp, settingSources, writeWarnings, type Settings } from './config/settings.js';
export { settingValue } from './config/value-schemas.js';
export { StartError } from './errors.js';
export type { AppMessage, AppOrder, AppReady, ProgramState } from './lifecycle/program-status.js';
export { endWithOutput, killProcess, stopOnSignals } from './lifecycle/end-process.js';
export { onStrayFaults } from './lifecycle/stray-faults.js';
export type { Logger } from './log/logger.js';
export { takeProcessOutput, takeWarnings, type ProcessOutput } from './log/process-output.js';
export { nearestName } from './nearest-name.js';
export { codeFile, PACKAGE } from './package-root.js';
export { loadPlugins, loadPluginsInThread } from './plugins/load-plugins.js';
export type { LoadedMasker } from './plugins/plugin-registry.js';
export { Permits } from './threads/permits.js';
