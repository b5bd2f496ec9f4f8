import { type Operation, type SecurityScheme, service } from '@petstore/types';
import { kebab } from '../flags/flag.ts';

/** A security scheme that petctl supports. */
export interface Scheme {
  readonly name: string;
  readonly type: 'bearer' | 'basic' | 'apiKey';
  /** The environment variable of its credential; there is no flag, because process lists show flags. */
  readonly variable: string;
  /** Whether it is the scheme of the API key. */
  readonly isApiKey: boolean;
}

/** The accepted combinations of schemes. */
export type Security = Operation['security'];

/** The variable of the API key. */
const keyVariable = 'PETCTL_API_KEY';

// A spec without schemes has no keyScheme.
const { securitySchemes, keyScheme }: { securitySchemes: Record<string, SecurityScheme>; keyScheme?: string } = service;

/** The supported schemes of the service, the API key's first. */
export function schemes(): readonly Scheme[] {
  known ??= schemesOf();
  return known;
}

let known: readonly Scheme[] | undefined;

function schemesOf(): readonly Scheme[] {
  const found: Scheme[] = [];
  for (const [name, { type }] of Object.entries(securitySchemes)) {
    if (type === 'mutualTLS' || type === 'other') continue;
    const isApiKey = name === keyScheme;
    const named = `PETCTL_AUTH_${kebab(name).replaceAll('-', '_').toUpperCase()}`;
    let variable = isApiKey ? keyVariable : named;
    for (let i = 2; found.some((one) => one.variable === variable); i++) variable = `${named}_${i}`;
    found.push({ name, type, variable, isApiKey });
  }
  return found.sort((one, other) => Number(other.isApiKey) - Number(one.isApiKey));
}

/** The scheme of a name in an operation's security. */
export function schemeNamed(name: string): Scheme {
  const scheme = schemes().find((one) => one.name === name);
  if (!scheme) throw new Error(`there is no scheme ${name}`);
  return scheme;
}

/** The name of a scheme's credential in messages. */
export function credentialName({ isApiKey, name }: Scheme): string {
  return isApiKey ? 'API key' : `credential '${name}'`;
}
