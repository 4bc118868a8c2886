/** JSON.parse source text access (ES2026), not yet in TypeScript's library. */
interface JSON {
  rawJSON(text: string): { rawJSON: string };
  isRawJSON(value: unknown): value is { rawJSON: string };
}
