import { type Operation, type SecurityScheme, service } from '@petstore/types';
import { kebab } from '../settings/flag.ts';

/** A security scheme that petctl can hold a credential for. */
export interface Scheme {
  readonly name: string;
  readonly type: 'bearer' | 'basic' | 'apiKey';
  /** The variable that its credential may stand in. No flag takes one, because lists of processes show flags. */
  readonly variable: string;
  /** Whether it is the scheme that the API key is for. */
  readonly isKey: boolean;
}

/** The combinations of schemes of which one is needed. */
export type Security = Operation['security'];

/** The variable of the API key. */
const keyVariable = 'PETCTL_API_KEY';

// What the service knows of its schemes, whichever it has.
const { securitySchemes, keyScheme }: { securitySchemes: Record<string, SecurityScheme>; keyScheme?: string } = service;

/** The schemes of the service that petctl can hold a credential for, that of the API key first. */
export function schemes(): readonly Scheme[] {
  known ??= schemesOf();
  return known;
}

let known: readonly Scheme[] | undefined;

function schemesOf(): readonly Scheme[] {
  const found: Scheme[] = [];
  for (const [name, { type }] of Object.entries(securitySchemes)) {
    if (type === 'mutualTLS' || type === 'other') continue;
    const isKey = name === keyScheme;
    const own = `PETCTL_AUTH_${kebab(name).replaceAll('-', '_').toUpperCase()}`;
    let variable = isKey ? keyVariable : own;
    for (let i = 2; found.some((one) => one.variable === variable); i++) variable = `${own}_${i}`;
    found.push({ name, type, variable, isKey });
  }
  return found.sort((one, other) => Number(other.isKey) - Number(one.isKey));
}

/** The scheme of a name that an operation's security mentions. */
export function schemeNamed(name: string): Scheme {
  const scheme = schemes().find((one) => one.name === name);
  if (!scheme) throw new Error(`there is no scheme ${name}`);
  return scheme;
}

/** What the credential of a scheme is called. */
export function credentialName({ isKey, name }: Scheme): string {
  return isKey ? 'API key' : `credential '${name}'`;
}
