import type { CapturePreview, CaptureRuleResource, CreateCaptureRule, UpdateCaptureRule } from '@spandrel/contract';
import { call } from './call.js';

const pathOf = (datasetId: string, rest = ''): string =>
  `/api/datasets/${encodeURIComponent(datasetId)}/capture-rules${rest}`;
const rulePath = (datasetId: string, id: string): string => pathOf(datasetId, `/${encodeURIComponent(id)}`);

/** `GET /api/datasets/:id/capture-rules`: the largest page of them. */
export async function listCaptureRules(
  datasetId: string,
  signal?: AbortSignal,
): Promise<readonly CaptureRuleResource[]> {
  const answer = await call<{ capture_rules: CaptureRuleResource[] }>(pathOf(datasetId), signal && { signal });
  return answer.capture_rules;
}

/** `POST /api/datasets/:id/capture-rules`. */
export const createCaptureRule = (datasetId: string, rule: CreateCaptureRule): Promise<CaptureRuleResource> =>
  call(pathOf(datasetId), { method: 'POST', body: rule });

/** `PUT /api/datasets/:id/capture-rules/:rule_id`. */
export const updateCaptureRule = (
  datasetId: string,
  id: string,
  changes: UpdateCaptureRule,
): Promise<CaptureRuleResource> => call(rulePath(datasetId, id), { method: 'PUT', body: changes });

/** `DELETE /api/datasets/:id/capture-rules/:rule_id`. */
export const deleteCaptureRule = (datasetId: string, id: string): Promise<unknown> =>
  call(rulePath(datasetId, id), { method: 'DELETE' });

/** `POST /api/datasets/:id/capture-rules/preview`: what a rule would take of the newest spans. */
export const previewCapture = (
  datasetId: string,
  { filters, sample_rate }: Pick<CreateCaptureRule, 'filters' | 'sample_rate'>,
  signal?: AbortSignal,
): Promise<CapturePreview> =>
  call(pathOf(datasetId, '/preview'), {
    method: 'POST',
    body: { filters, sample_rate },
    ...(signal && { signal }),
  });
