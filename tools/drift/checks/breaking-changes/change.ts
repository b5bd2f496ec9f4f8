/** A change between two specs, and what it means for the users of the interface. */
export interface Change {
  /** `major` breaks correct users, `minor` adds something. */
  level: 'major' | 'minor';
  /** The rule that says so. */
  rule: string;
  where: string;
  detail: string;
}

export type Report = (level: Change['level'], rule: string, where: string, detail: string) => void;

/** Data goes to the service, where it is a break to accept less, or comes from it, where it is a break to send more. */
export type Direction = 'request' | 'response';
