/**
 * Thrown by the work of a transaction that has met what another instance committed meanwhile, so that it would have to lock
 * rows out of their order: the transaction is rolled back and begun again. On Postgres only; SQLite has one writer.
 */
export class BeginAgain extends Error {
  override readonly name = 'BeginAgain';
  /** SQLSTATE of a serialization failure. */
  readonly code = '40001';
}
