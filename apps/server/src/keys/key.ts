import { hash, randomBytes } from 'node:crypto';

/** A key as the server knows it: who calls with it, and its SHA-256. The key itself is nowhere. */
export interface KnownKey {
  name: string;
  hash: Buffer;
}

export const hashOf = (key: string): Buffer => hash('sha256', key, 'buffer');

export const makeKey = (): string => `pk_${randomBytes(24).toString('base64url')}`;

export const isName = (name: string): boolean => /^[A-Za-z0-9][\w.-]{0,63}$/.test(name);

/** Says what `isName` asks for. */
export const validName = 'up to 64 letters, digits, dots, dashes and underscores, a letter or a digit first';
