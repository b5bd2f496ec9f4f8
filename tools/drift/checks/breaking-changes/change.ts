/** What became different between two specs, and what that is to those who use the interface. */
export interface Change {
  /** `major` breaks somebody who did nothing wrong, `minor` is more than there was. */
  level: 'major' | 'minor';
  /** The rule that says so. */
  rule: string;
  where: string;
  what: string;
}

export type Report = (level: Change['level'], rule: string, where: string, what: string) => void;

/** Whether data goes to the service, where less than before is a break, or comes from it, where more than before is. */
export type Direction = 'request' | 'response';
