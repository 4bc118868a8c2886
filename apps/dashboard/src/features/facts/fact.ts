/** A fact of a span, a trace or a session: its name, its value, and the value with every digit where that is longer. */
export interface Fact {
  name: string;
  value: string;
  exact?: string;
  /** Address of the page about it. */
  to?: string;
}
