import { StartError } from '../errors.js';
import type { LineSink } from '../log/log-destination.js';
import { CoreSettings } from './core-settings.js';
import type { SettingsPart } from './define-settings.js';
import { settingName } from './setting.js';

export class Settings {
  /** @param warnings what is to be said of the settings once, and stops no start. */
  constructor(
    private readonly values: ReadonlyMap<SettingsPart, object>,
    readonly warnings: readonly string[] = [],
  ) {}

  get core(): CoreSettings {
    return this.of(CoreSettings);
  }

  /** The values of a part. @throws Error for one that the program did not load. */
  of<Values extends object>(part: abstract new (...args: never[]) => Values): Values {
    const values = this.values.get(part as unknown as SettingsPart);
    if (!values) throw new Error(`the settings of ${part.name} are not loaded: the program does not list them`);
    return values as Values;
  }

  providers(): { provide: SettingsPart; useValue: object }[] {
    return [...this.values].map(([provide, useValue]) => ({ provide, useValue }));
  }

  /** @throws StartError with a line for each setting that cloud mode needs and does not have. */
  requireAll(): void {
    if (this.core.mode === 'local') return;
    const faults: string[] = [];
    for (const [{ declared }, values] of this.values) {
      for (const [name, setting] of Object.entries(declared)) {
        if (setting.cloudNeeds === undefined || (values as Record<string, unknown>)[name] !== null) continue;
        faults.push(`${settingName(setting)}: cloud mode needs ${setting.cloudNeeds}`);
      }
    }
    if (faults.length > 0) throw new StartError(faults);
  }
}

export function writeWarnings(warnings: readonly string[], output: LineSink): void {
  for (const warning of warnings) output.write(`spandrel: warning: ${warning}\n`);
}
