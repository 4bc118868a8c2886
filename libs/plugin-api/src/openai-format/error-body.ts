/** The error body that OpenAI client libraries read. */
export function openAiErrorBody(status: number, message: string): unknown {
  const [type, code] = kindOf(status);
  return { error: { message, type, param: null, code } };
}

function kindOf(status: number): [type: string, code: string | null] {
  if (status === 401) return ['invalid_request_error', 'invalid_api_key'];
  if (status === 429) return ['requests', 'rate_limit_exceeded'];
  if (status >= 500) return ['server_error', null];
  return ['invalid_request_error', null];
}
