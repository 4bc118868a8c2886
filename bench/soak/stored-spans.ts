import { sendRequest } from '../../test/support/send-request.ts';
import type { Acknowledged, Findings } from './acknowledged.ts';
import { numberOf } from './soak-load.ts';

interface Page {
  spans: { id: string; status: unknown }[];
  next_cursor: string | null;
}

/**
 * Lists all spans that started since a moment, oldest first, and holds them against what was acknowledged.
 * @param since milliseconds since the epoch.
 * @param from number of the first span that was sent after that moment.
 */
export async function findStored(
  url: string,
  acknowledged: Acknowledged,
  since: number,
  from: number,
): Promise<Findings & { listed: number }> {
  const look = acknowledged.look(from);
  let listed = 0;
  const query = `limit=1000&sort_order=asc&since=${encodeURIComponent(new Date(since).toISOString())}`;
  for (let cursor: string | null = ''; cursor !== null;) {
    const path: string = `/api/spans?${query}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const { status, text } = await sendRequest(url + path, { method: 'GET', headers: {} });
    if (status !== 200) throw new Error(`the spans could not be listed: ${status} ${text.slice(0, 300)}`);
    const page = JSON.parse(text) as Page;
    for (const span of page.spans) look.see(numberOf(span.id), span.status !== 'running');
    listed += page.spans.length;
    cursor = page.next_cursor;
  }
  return { ...look.end(), listed };
}
