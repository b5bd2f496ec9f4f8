/** What can be written for a setting, and how it is read. */
export interface Kind<T> {
  /** Completes "it has to be …". */
  valid: string;
  /** The value, in a box of its own because it may be anything; nothing where the text is not valid. */
  read(text: string): { value: T } | undefined;
}

export function text(valid: string): Kind<string> {
  return { valid, read: (given) => (given.trim() === '' ? undefined : { value: given }) };
}

export function oneOf<T extends string>(choices: readonly T[]): Kind<T> {
  const find = (given: string) => choices.find((choice) => choice === given);
  return {
    valid: `one of ${choices.join(', ')}`,
    read: (given) => {
      const value = find(given);
      return value === undefined ? undefined : { value };
    },
  };
}

export const yesOrNo: Kind<boolean> = {
  valid: 'true or false',
  read: (given) => (given === 'true' || given === 'false' ? { value: given === 'true' } : undefined),
};

/** A whole number in decimal digits; `1e3` and `0x10` are mistakes more often than they are meant. */
export function integer(minimum: number, maximum: number): Kind<number> {
  return {
    valid: `a whole number from ${minimum} to ${maximum}`,
    read: (given) => {
      const value = Number(given);
      return /^\d+$/.test(given) && value >= minimum && value <= maximum ? { value } : undefined;
    },
  };
}

/** Written in seconds, read as milliseconds. */
export const seconds: Kind<number> = {
  valid: 'a number of seconds from 0.001 to 86400',
  read: (given) => {
    const value = Math.round(Number(given) * 1000);
    return /^\d+(\.\d+)?$/.test(given) && value >= 1 && value <= 86_400_000 ? { value } : undefined;
  },
};

/** Origins as browsers send them, which are compared letter for letter. */
export const origins: Kind<string[]> = {
  valid: "'off', '*', or origins like https://shop.example separated by commas, without a path",
  read: (given) => {
    if (given === 'off') return { value: [] };
    const value = given.split(',').map((origin) => origin.trim());
    return given === '*' || value.every(isOrigin) ? { value } : undefined;
  },
};

function isOrigin(given: string): boolean {
  const url = URL.parse(given);
  return url?.origin === given && /^https?:$/.test(url.protocol);
}

/** A kind of setting that can be switched off. */
export function orOff<T>(kind: Kind<T>): Kind<T | undefined> {
  return {
    valid: `'off' or ${kind.valid}`,
    read: (given) => (given === 'off' ? { value: undefined } : kind.read(given)),
  };
}
