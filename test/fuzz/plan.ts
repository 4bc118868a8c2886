/** One thing that a client does on its connection. */
export type Step =
  /** Bytes as latin1. */
  | { write: string }
  | { waitMs: number }
  /** Waits until so many answers are there, or the server has closed. */
  | { answers: number }
  /** `fin` closes the client's half, `rst` breaks the connection off with a reset, `leave` closes it. */
  | { end: 'fin' | 'rst' | 'leave' };

/** What is to come back for one request of a connection. */
export interface Expected {
  method: string;
  /** Stands in the request, and in the answer that is its own. */
  token: string;
  /**
   * `own`: an answer with the token must come. `some`: any answer, or the end of the connection. `none`: nothing need come,
   * the client leaves before. In no case may the answer have the token of another request.
   */
  need: 'own' | 'some' | 'none';
}

/** A conversation on one connection, as data, so that it can be written to a file and repeated. */
export interface Plan {
  /** Separates plans of a run. */
  index: number;
  kind: string;
  port: 'api' | 'gateway';
  steps: Step[];
  expected: Expected[];
  /** The trace that the gateway records of it when the answer has come whole. */
  recorded?: string;
}

/** Tokens, as they are found in answers. */
export const TOKEN = /fz[0-9a-f]{20}/g;

/** Header lines that the program wants of callers of this port; replaced when the bytes are sent. */
export const ADMITTED = '{admitted}';
