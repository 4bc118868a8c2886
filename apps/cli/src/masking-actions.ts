import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { Administration } from '@spandrel/access';
import { putMaskingSchema, type MaskingResource, type MaskingRule } from '@spandrel/contract';
import { StartError } from '@spandrel/kernel';
import type { MaskingCommands } from '@spandrel/masking';
import { checked, type AdminInput, type Outcome } from './admin-outcome.js';

/** What the commands about masking work with; plugins are loaded for them alone. */
export interface MaskingAdministration extends Pick<Administration, 'directory'> {
  masking(): Promise<MaskingCommands>;
}

/** What each command about masking does. */
export const MASKING_ACTIONS = {
  showMasking: async (administration: MaskingAdministration, { id }: AdminInput) => {
    await organizationOf(administration, id!);
    return told(await (await administration.masking()).read(id!));
  },
  setMasking: async (administration: MaskingAdministration, { id, options }: AdminInput) => {
    const orgId = await organizationOf(administration, id!);
    const rules = await rulesIn(String(options['rules']));
    const body = checked(putMaskingSchema, Array.isArray(rules) ? { rules } : rules);
    return told(await (await administration.masking()).put({ orgId, projectId: id! }, body));
  },
};

/** @throws StartError when there is no such project. */
async function organizationOf({ directory }: MaskingAdministration, projectId: string): Promise<string> {
  const orgId = await directory.organizationOf(projectId);
  if (orgId === undefined) throw new StartError(['there is no such project']);
  return orgId;
}

/** @param file its path; `-` is standard input. @throws StartError when it cannot be read or is no JSON. */
async function rulesIn(file: string): Promise<unknown> {
  try {
    return JSON.parse(file === '-' ? await text(process.stdin) : readFileSync(file, 'utf8'));
  } catch (error) {
    throw new StartError([`--rules: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

const told = (masking: MaskingResource): Outcome => ({
  json: masking,
  lines: masking.rules.length === 0 ? ['No rules: texts are stored as they come.'] : masking.rules.map(ruleLine),
});

const ruleLine = ({ masker, replace, label, fields, config }: MaskingRule): string =>
  `${masker}  ${replace} ${label}  in ${fields.join(',')}${Object.keys(config).length > 0 ? `  ${JSON.stringify(config)}` : ''}`;
