import type { z } from 'zod';
import type { Setting } from './setting.js';

export type DeclaredSettings = Readonly<Record<string, Setting>>;

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
