import type { z } from 'zod';

/** An answer or a body that is not JSON. */
export interface MediaDescription {
  /** Media types, such as `text/csv`. */
  mediaTypes: readonly string[];
  description: string;
  /** What the content, or each piece of it, is; bytes when left out. */
  schema?: z.ZodType;
  /** Whether an answer comes as a file, with `Content-Disposition`. */
  attachment?: boolean;
}
