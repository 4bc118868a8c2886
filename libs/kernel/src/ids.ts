import { monotonicFactory } from 'ulid';

/** Makes identifiers: ULIDs, strictly increasing within a process (contract.md "General"). */
export const newId: () => string = monotonicFactory();
