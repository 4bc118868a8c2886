/**
 * Does something when the process ends, or the file of tests that is running: jest gives each file a copy of `process`,
 * on which `exit` never comes, and environment.cjs says `suiteOver` on it instead. Nothing that takes time.
 */
export function atEnd(cleanUp: () => void): void {
  process.on('exit', cleanUp);
  process.on('suiteOver' as 'exit', cleanUp);
}
