/** Why a task of a {@link TaskPool} has no result. */
export type TaskFailureReason =
  /** It had not ended at its deadline; its thread was ended, whatever it was doing. */
  | 'deadline'
  /** The queue was full; it was not begun. */
  | 'full'
  /** It threw, its thread used up its memory, or no thread could be started for it. `cause` has the error. */
  | 'failed'
  /** The pool was closed before it ended. */
  | 'closed';

/** A task that was given to a thread has no result. Its message holds nothing of the task's input. */
export class TaskFailure extends Error {
  override readonly name = 'TaskFailure';
  constructor(
    readonly reason: TaskFailureReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
