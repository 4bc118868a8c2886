import { checkedBase } from '../api/http.js';

/** So long a call waits at most for the first answer, which a client asked for when it was made. */
const ANSWER_MS_MAX = 2_000;
/** So long after a failure the server is asked again, by a call that does not wait for it. */
const AGAIN_MS = 60_000;

export interface GatewayFinder {
  /** Base URL of the server. */
  apiUrl: string;
  apiKey?: string | undefined;
  fetch?: typeof fetch | undefined;
  /** Takes a sentence for a person, once. */
  onWarning: (sentence: string) => void;
}

/**
 * @returns what asks the server where its gateway is (`GET /api/capabilities`), once, and gives its address; nothing where the
 *   server has none or does not answer in time, of which it warns once. It never rejects.
 */
export function findGateway(finder: GatewayFinder): () => Promise<string | undefined> {
  let asked: Promise<string | undefined> | undefined;
  let failedAt: number | undefined;
  let isWarned = false;
  const ask = async (): Promise<string | undefined> => {
    try {
      return await askFor(finder);
    } catch (error) {
      failedAt = Date.now();
      if (!isWarned) warn(finder, error);
      isWarned = true;
      return undefined;
    }
  };
  return () => {
    if (asked !== undefined && failedAt !== undefined && Date.now() - failedAt > AGAIN_MS) {
      failedAt = undefined;
      void ask().then((url) => (asked = Promise.resolve(url)));
    }
    return (asked ??= ask());
  };
}

async function askFor({ apiUrl, apiKey, fetch = globalThis.fetch }: GatewayFinder): Promise<string> {
  const answer = await fetch(`${apiUrl}/api/capabilities`, {
    ...(apiKey !== undefined && { headers: { authorization: `Bearer ${apiKey}` } }),
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  });
  if (answer.status !== 200) throw new Error(`it answers ${answer.status}`);
  const { gateway_url: url } = (await answer.json()) as { gateway_url?: unknown };
  if (typeof url !== 'string') throw new Error('it knows of no gateway');
  return checkedBase(url);
}

function warn({ apiUrl, onWarning }: GatewayFinder, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  const sentence = `calls of models go to their providers and are not recorded: no gateway is set, and ${apiUrl} does not say where one is (${reason}); the option gatewayUrl or SPANDREL_GATEWAY_URL names it`; // prettier-ignore
  try {
    onWarning(sentence);
  } catch {
    // A report that fails must not break the application.
  }
}
