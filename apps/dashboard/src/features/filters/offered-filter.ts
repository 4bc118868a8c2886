/** A filter that the menu `Add filter` offers. */
export interface OfferedFilter {
  id: string;
  /** `Tag` */
  label: string;
  /** Says what is wrong with a value; nothing when it is right. */
  faultOf?(value: string): string | undefined;
}
