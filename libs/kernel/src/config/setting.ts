import type { z } from 'zod';

/** How the text of a flag or a variable is read; a list has commas between its entries, a switch is a flag without a value, whose `--no-…` turns it off. */
type SettingKind = 'text' | 'integer' | 'boolean' | 'list' | 'switch';

interface SettingDescription<Input> {
  /** Taken where nobody says otherwise; `undefined` for a setting that may be absent. */
  default: Input;
  /** What config/default.yaml says above it, whole sentences, a line break where one is wanted; and `--help`: its beginning. */
  doc: string;
  /** What config/cloud.yaml sets it to, and says above it. */
  inCloud?: { value: Input; doc: string };
  /** Cloud mode does not start without it; completes the sentence "cloud mode needs …". */
  cloudNeeds?: string;
  /** A path, which is made absolute from the folder that the program is started in. */
  isPath?: true;
}

/** By what beside files a setting is given. */
export interface SettingSource {
  /** `--port`; a switch named `--no-…` turns its setting off. */
  flag?: string;
  variable?: string;
  /** `text` when left out. */
  kind?: SettingKind;
  /** The value is also read from the file that `<variable>_FILE` names. */
  secret?: true;
}

export interface Setting<Schema extends z.ZodType = z.ZodType> extends SettingDescription<unknown> {
  readonly path: string;
  /** What it may be; its output is what the program works with. */
  readonly schema: Schema;
  readonly source?: SettingSource;
}

/** Declares one setting. @param path its name in the config files, dotted: `evals.concurrency`. */
export const setting = <Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  description: SettingDescription<z.input<Schema>> & { source?: SettingSource },
): Setting<Schema> => Object.freeze({ path, schema, ...description });

export function settingName({ path, source }: Pick<Setting, 'path' | 'source'>): string {
  const others = [source?.flag, source?.variable].filter((name) => name !== undefined);
  return others.length > 0 ? `${path} (${others.join(', ')})` : path || 'settings';
}

type DeclaredSettings = Readonly<Record<string, Setting>>;

type SettingValues<Declared extends DeclaredSettings> = {
  -readonly [Name in keyof Declared]: z.output<Declared[Name]['schema']>;
};

/** A part of the settings: a class, which is a type and an injection token at once. Its instance holds the values. */
export interface SettingsPart {
  new (values: never): object;
  readonly declared: DeclaredSettings;
  /** What config/default.yaml says above a group of settings, by the group's dotted name. */
  readonly groups: Readonly<Record<string, string>>;
}

interface DefinedPart<Declared extends DeclaredSettings> {
  new (values: SettingValues<Declared>): SettingValues<Declared>;
  readonly declared: Declared;
  readonly groups: SettingsPart['groups'];
}

/**
 * Declares the settings of one part of the program, next to the code that they are for:
 *
 *     export class QueueSettings extends defineSettings({
 *       claimTimeoutSeconds: setting('queue.claim_timeout', z.number().nullable(), { default: null, doc: '…' }),
 *     }) {}
 *
 * A feature lists the class (`defineFeature({ settings: [QueueSettings] })`) and injects it by its type.
 * @param groups what config/default.yaml says above a group of them.
 */
export function defineSettings<Declared extends DeclaredSettings>(
  declared: Declared,
  groups: Readonly<Record<string, string>> = {},
): DefinedPart<Declared> {
  class Part {
    static readonly declared = declared;
    static readonly groups = groups;

    constructor(values: SettingValues<Declared>) {
      Object.assign(this, values);
    }
  }
  return Part as unknown as DefinedPart<Declared>;
}

export const settingsOf = (parts: readonly SettingsPart[]): Setting[] =>
  parts.flatMap(({ declared }) => Object.values(declared));
