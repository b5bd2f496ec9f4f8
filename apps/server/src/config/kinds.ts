import { BlockList, isIP } from 'node:net';

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
export const seconds = secondsFrom(0.001);
export const secondsOrNone = secondsFrom(0);

function secondsFrom(minimum: number): Kind<number> {
  return {
    valid: `a number of seconds from ${minimum} to 86400`,
    read: (given) => {
      const value = Math.round(Number(given) * 1000);
      return /^\d+(\.\d+)?$/.test(given) && value >= minimum * 1000 && value <= 86_400_000 ? { value } : undefined;
    },
  };
}

/** Proxies that are believed: how many stand in front of the server, or their addresses and networks. */
export const proxies: Kind<number | BlockList> = {
  valid: 'a number of proxies from 1 to 16, or addresses and networks like 10.0.0.1,192.168.0.0/16',
  read: (given) => {
    const value = integer(1, 16).read(given)?.value ?? networks(given);
    return value === undefined ? undefined : { value };
  },
};

function networks(list: string): BlockList | undefined {
  const found = new BlockList();
  for (const entry of list.split(',')) {
    const [address = '', length, more] = entry.trim().split('/');
    const version = isIP(address);
    const bits = version === 4 ? 32 : 128;
    const prefix = length === undefined ? bits : integer(0, bits).read(length)?.value;
    if (version === 0 || prefix === undefined || more !== undefined) return undefined;
    found.addSubnet(address, prefix, version === 4 ? 'ipv4' : 'ipv6');
  }
  return found;
}

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
