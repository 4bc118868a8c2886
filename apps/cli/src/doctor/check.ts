/** What the doctor found out about one thing. */
export interface Check {
  name: string;
  status: 'ok' | 'warn' | 'fail';
  message: string;
  /** What to do about it. */
  remedy?: string;
}

export const ok = (name: string, message: string): Check => ({ name, status: 'ok', message });

export const warn = (name: string, message: string, remedy: string): Check => ({
  name,
  status: 'warn',
  message,
  remedy,
});

export const failed = (name: string, message: string, remedy: string): Check => ({
  name,
  status: 'fail',
  message,
  remedy,
});
