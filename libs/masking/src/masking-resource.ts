import { formatTimestamp, type MaskingResource, type MaskingRule, type RecordingMasking } from '@spandrel/contract';
import type { LoadedMasker } from '@spandrel/kernel';
import type { MaskingRulesRow } from './masking-rules.entity.js';

/** The rules of a row; none where there is no row. */
export const rulesOf = (row: Pick<MaskingRulesRow, 'rules'> | undefined): MaskingRule[] =>
  row ? (JSON.parse(row.rules) as MaskingRule[]) : [];

/** The masking of a project as the wire shows it. */
export const maskingResource = (
  projectId: string,
  row: MaskingRulesRow | undefined,
  maskers: readonly LoadedMasker[],
): MaskingResource => ({
  project_id: projectId,
  rules: rulesOf(row),
  updated_at: row ? formatTimestamp(row.updatedAt) : null,
  maskers: maskers.map(({ name, extension, configSchema }) => ({
    name,
    label: extension.label,
    config_schema: configSchema,
  })),
});

/** The masking of a project as a gateway needs it. @param beginKey what hashes are begun with; `null`: none can be. */
export const recordingMasking = (
  projectId: string,
  rules: MaskingRule[],
  beginKey: Buffer | null,
): RecordingMasking => ({ project_id: projectId, rules, hash_key: beginKey && beginKey.toString('base64url') });

/** Whether a rule hashes, so that a key is needed. */
export const hashes = (rules: readonly MaskingRule[]): boolean => rules.some(({ replace }) => replace === 'hash');
