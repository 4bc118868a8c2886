/** Colours of the kinds that are known by name; all have their word beside them. */
const KNOWN: Readonly<Record<string, number>> = Object.assign(Object.create(null) as Record<string, number>, {
  llm_call: 1,
  tool_call: 2,
  retrieval: 3,
  embedding: 4,
  agent: 5,
  fs_read: 6,
  fs_write: 6,
  custom: 7,
});
const OTHER = 8;

/** The token `--kind-N` of a kind. */
export const kindColour = (type: string): string => `--kind-${KNOWN[type] ?? OTHER}`;
