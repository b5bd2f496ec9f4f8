import { BlockList, isIP } from 'node:net';
import { ExpectedError } from '../expected-error.ts';

/** An invalid setting. The message names the setting, its source, and the valid values. */
export class ConfigError extends ExpectedError {}

/** A kind of setting: its valid values, and its parser. */
export interface Kind<T> {
  /** Completes "it must be …". */
  valid: string;
  /** The value in an object, because it may be undefined itself; undefined for an invalid text. */
  parse(text: string): { value: T } | undefined;
}

export function text(valid: string): Kind<string> {
  return { valid, parse: (word) => (word.trim() === '' ? undefined : { value: word }) };
}

export function oneOf<T extends string>(values: readonly T[]): Kind<T> {
  return {
    valid: `one of ${values.join(', ')}`,
    parse: (word) => parsed(values.find((value) => value === word)),
  };
}

export const yesOrNo: Kind<boolean> = {
  valid: 'true or false',
  parse: (word) => (word === 'true' || word === 'false' ? { value: word === 'true' } : undefined),
};

/** A whole number in decimal digits; `1e3` and `0x10` are probably mistakes. */
export function integer(minimum: number, maximum: number): Kind<number> {
  return {
    valid: `a whole number from ${minimum} to ${maximum}`,
    parse: (word) => {
      const value = Number(word);
      return /^\d+$/.test(word) && value >= minimum && value <= maximum ? { value } : undefined;
    },
  };
}

const DAY_MS = 86_400_000;

/** Written in seconds, parsed as milliseconds. */
export function seconds(minimum = 0.001): Kind<number> {
  return {
    valid: `a number of seconds from ${minimum} to ${DAY_MS / 1000}`,
    parse: (word) => {
      const value = Math.round(Number(word) * 1000);
      return /^\d+(\.\d+)?$/.test(word) && value >= minimum * 1000 && value <= DAY_MS ? { value } : undefined;
    },
  };
}

/** Trusted proxies: their number, or their addresses and networks. */
export const proxies: Kind<number | BlockList> = {
  valid: 'a number of proxies from 1 to 16, or addresses and networks like 10.0.0.1,192.168.0.0/16',
  parse: (word) => parsed(integer(1, 16).parse(word)?.value ?? networks(word)),
};

function networks(list: string): BlockList | undefined {
  const blockList = new BlockList();
  for (const entry of list.split(',')) {
    const [address = '', length, more] = entry.trim().split('/');
    const version = isIP(address);
    const bits = version === 4 ? 32 : 128;
    const prefix = length === undefined ? bits : integer(0, bits).parse(length)?.value;
    if (version === 0 || prefix === undefined || more !== undefined) return undefined;
    blockList.addSubnet(address, prefix, version === 4 ? 'ipv4' : 'ipv6');
  }
  return blockList;
}

/** Origins exactly as browsers send them. */
export const origins: Kind<string[]> = {
  valid: "'off', '*', or origins like https://shop.example separated by commas, without a path",
  parse: (word) => {
    if (word === 'off') return { value: [] };
    const value = word.split(',').map((origin) => origin.trim());
    return word === '*' || value.every(isOrigin) ? { value } : undefined;
  },
};

function isOrigin(word: string): boolean {
  const url = URL.parse(word);
  return url?.origin === word && /^https?:$/.test(url.protocol);
}

/** A kind of setting that can be off. */
export function orOff<T>(kind: Kind<T>): Kind<T | undefined> {
  return {
    valid: `'off' or ${kind.valid}`,
    parse: (word) => (word === 'off' ? { value: undefined } : kind.parse(word)),
  };
}

function parsed<T>(value: T | undefined): { value: T } | undefined {
  return value === undefined ? undefined : { value };
}
