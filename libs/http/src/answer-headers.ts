import type { OutgoingHttpHeaders } from 'node:http';

/**
 * Headers that every answer begins with (docs/spec/general.md#headers-of-every-answer). A route that says otherwise
 * overwrites them: files of the dashboard may be kept.
 * @param hstsSeconds how long browsers are to ask over https alone; `null`: nothing is said of it.
 */
export const answerHeaders = (hstsSeconds: number | null): OutgoingHttpHeaders => ({
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  ...(hstsSeconds !== null && { 'strict-transport-security': `max-age=${hstsSeconds}` }),
});
