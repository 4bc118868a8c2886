const STORAGE_KEY = 'spandrel.reviewer';

/** The name under which somebody reviews in local mode, as this browser keeps it; `''` for none. */
export function readReviewerName(): string {
  try {
    return localStorage.getItem(STORAGE_KEY) ?? '';
  } catch {
    return '';
  }
}

/** Keeps the name for the next visit. */
export function keepReviewerName(name: string): void {
  try {
    localStorage.setItem(STORAGE_KEY, name);
  } catch {
    // Without storage it is typed again.
  }
}
