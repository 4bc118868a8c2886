/** What an answer says in JSON; `undefined` where it is none. */
export function attemptJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
