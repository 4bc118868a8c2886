import type { MaskingPreview, MaskingResource, MaskingRule } from '@spandrel/contract';
import { call } from './call.js';

const pathOf = (projectId: string): string => `/api/projects/${encodeURIComponent(projectId)}/masking`;

export const readMasking = (projectId: string, signal: AbortSignal): Promise<MaskingResource> =>
  call(pathOf(projectId), { signal });

/** Replaces all rules of a project. */
export const putMasking = (projectId: string, rules: readonly MaskingRule[]): Promise<MaskingResource> =>
  call(pathOf(projectId), { method: 'PUT', body: { rules } });

/** What rules make of a text, which is kept nowhere. @param rules those of the project when left out. */
export const previewMasking = (
  projectId: string,
  text: string,
  rules: readonly MaskingRule[] | undefined,
): Promise<MaskingPreview> =>
  call(`${pathOf(projectId)}/preview`, { method: 'POST', body: { text, field: 'input', rules } });
